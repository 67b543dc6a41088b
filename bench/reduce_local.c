/* MPI_Reduce_local against the plain loop that a compiler makes for this very CPU. One rank.
 * usage: reduce_local METRIC MILLISECONDS [BYTES...]
 * Prints a line "cell NAME MICROSECONDS" for every cell; those named "... plain" are the loop's.
 * bench.py builds it with -O3 -march=native and reads the lines.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"

/* Out of line, as a program's own function would be; the buffers do not overlap. */
#define PLAIN(name, type, result)                                                      \
  __attribute__((noinline)) static void name(const void* in, void* inout, int count) { \
    const type* restrict a = in;                                                       \
    type* restrict b = inout;                                                          \
    for (int i = 0; i < count; ++i) b[i] = result;                                     \
  }
PLAIN(sum_doubles, double, a[i] + b[i])
PLAIN(sum_floats, float, a[i] + b[i])
PLAIN(largest_doubles, double, a[i] > b[i] ? a[i] : b[i])

typedef void Loop(const void* in, void* inout, int count);
typedef struct {
  const char* name;
  MPI_Datatype type;
  MPI_Op op;
  Loop* plain;
  size_t size;
} Case;

static const Case* current;

static void by_mpi(const void* in, void* inout, int count) {
  MPI_Reduce_local(in, inout, count, current->type, current->op);
}

/* Microseconds a call: the median of batches that take turns with nothing. */
static double measure(Loop* loop, const void* in, void* inout, int count, double budget_us) {
  double batch[batches_max], calls = 1, took = 0;
  while (took < budget_us / batches_max) {
    double start = now_us();
    for (double i = 0; i < calls; ++i) loop(in, inout, count);
    took = now_us() - start;
    if (took < budget_us / batches_max) calls *= 2;
  }
  for (int i = 0; i < batches_max; ++i) {
    double start = now_us();
    for (double j = 0; j < calls; ++j) loop(in, inout, count);
    batch[i] = (now_us() - start) / calls;
  }
  return median(batch, batches_max);
}

static void measure_case(const Case* its_case, size_t bytes, double budget_us) {
  void *in, *inout;
  if (posix_memalign(&in, 4096, bytes) || posix_memalign(&inout, 4096, bytes)) exit(3);
  memset(in, 0, bytes);
  memset(inout, 0, bytes);
  current = its_case;
  int count = (int)(bytes / its_case->size);
  double plain = measure(its_case->plain, in, inout, count, budget_us / 2);
  double ours = measure(by_mpi, in, inout, count, budget_us / 2);
  printf("cell reduce_local/%s/%zu %.5f\n", its_case->name, bytes, ours);
  printf("cell reduce_local/%s/%zu plain %.5f\n", its_case->name, bytes, plain);
  free(in);
  free(inout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double budget_us = argc > 2 ? atof(argv[2]) * 1e3 : 30e3;
  const Case cases[] = {
      {"double_sum", MPI_DOUBLE, MPI_SUM, sum_doubles, sizeof(double)},
      {"float_sum", MPI_FLOAT, MPI_SUM, sum_floats, sizeof(float)},
      {"double_max", MPI_DOUBLE, MPI_MAX, largest_doubles, sizeof(double)},
  };
  for (int size = 3; size < argc; ++size)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
      measure_case(&cases[i], (size_t)atol(argv[size]), budget_us);
  MPI_Finalize();
  return 0;
}
