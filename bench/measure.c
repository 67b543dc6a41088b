#define _DEFAULT_SOURCE
#include "measure.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int rank, ranks;
double budget_us;
uint64_t sink;
MPI_Comm among = MPI_COMM_WORLD;

void* buffer_of(size_t bytes) {
  void* memory = NULL;
  if (posix_memalign(&memory, 4096, bytes < 4096 ? 4096 : bytes) != 0) {
    fprintf(stderr, "mpi_bench: no memory for %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  memset(memory, 1, bytes < 4096 ? 4096 : bytes);
  return memory;
}

Placement placement = as_given;

char* message_buffer(size_t bytes) {
  if (placement == as_given) return buffer_of(bytes);
  if (placement == odd) return (char*)buffer_of(bytes + 1) + 1;
  const size_t huge = 2 << 20;
  char* memory = NULL;
  if (posix_memalign((void**)&memory, huge, (bytes + huge - 1) / huge * huge) != 0) {
    fprintf(stderr, "mpi_bench: no memory for %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  /* A wish: where the system has none, pages are small, and the cell says what it would cost. */
  (void)madvise(memory, (bytes + huge - 1) / huge * huge,
                placement == huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  memset(memory, 1, bytes);
  return memory;
}

void free_message_buffer(char* buffer) {
  free(placement == odd ? buffer - 1 : buffer);
}

static double timed(Step* step, Exchange* x, long repeats) {
  double start = now_us();
  for (long i = 0; i < repeats; ++i) step(x);
  if (x->apart) MPI_Barrier(among);
  return (now_us() - start) / (double)repeats;
}

/* Memory is touched for the first time, and a library learns: 16 steps, or half of the budget. */
static void warm_up(Step* step, Exchange* x) {
  double start = now_us();
  for (int goes_on = 1, done = 0; goes_on; ++done) {
    timed(step, x, 2);
    goes_on = done < 7 && now_us() - start < budget_us / 2;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, among);
  }
}

double measure(Step* step, Exchange* x) {
  long repeats = 1;
  double once = 0;
  warm_up(step, x);
  while (1) { /* find out how long one step takes */
    MPI_Barrier(among);
    once = timed(step, x, repeats);
    once = shorter(once, timed(step, x, repeats));
    int enough = once * (double)repeats > budget_us / 20 || repeats > 1000000;
    MPI_Bcast(&enough, 1, MPI_INT, 0, among);
    if (enough) break;
    repeats *= 4;
  }
  Plan plan = plan_of(budget_us, once);
  if (x->together) plan.repeats = (plan.repeats + x->together - 1) / x->together * x->together;
  MPI_Bcast(&plan, sizeof plan, MPI_BYTE, 0, among);
  double times[batches_max];
  for (int b = 0; b < plan.batches; ++b) {
    MPI_Barrier(among);
    times[b] = timed(step, x, plan.repeats);
  }
  return median(times, plan.batches);
}

double own_kib(void) {
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  double kib = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Pss: %lf", &kib) == 1) break;
  if (file) fclose(file);
  return kib;
}

void print_cell(const char* metric, const char* variant, size_t bytes, double value) {
  if (rank == 0) printf("cell %s%s/%zu %.4f\n", metric, variant, bytes, value);
  fflush(stdout);
}
