/* This measures how long a step takes that all ranks do together. */
#ifndef CLI_MEASURE_TIMING_H
#define CLI_MEASURE_TIMING_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "bench/clock.h"

typedef void Step(void* state);

/* Returns the mean time of a step over some repeats. They are between two barriers, since of some
 * steps rank 0 sees only its own part. */
static inline double timed(Step* step, void* state, long repeats) {
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now_us();
  for (long i = 0; i < repeats; ++i) step(state);
  MPI_Barrier(MPI_COMM_WORLD);
  return (now_us() - start) / (double)repeats;
}

/* Returns the median over batches of the time of one step. All ranks agree on the repeats. */
static inline double measure(Step* step, void* state, double budget_us) {
  double once = 0, times[batches_max];
  timed(step, state, 2);
  for (long repeats = 1;; repeats *= 4) {
    once = timed(step, state, repeats);
    int enough = once * (double)repeats > budget_us / 10;
    MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (enough) break;
  }
  Plan plan = plan_of(budget_us, once);
  MPI_Bcast(&plan, sizeof plan, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (int b = 0; b < plan.batches; ++b) times[b] = timed(step, state, plan.repeats);
  return median(times, plan.batches);
}

static inline void* buffer_of(size_t bytes) {
  void* memory = NULL;
  if (posix_memalign(&memory, 4096, bytes) != 0) {
    fprintf(stderr, "baton-measure: no memory for %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  memset(memory, 1, bytes);
  return memory;
}

/* Measures a collective with `bytes` as selections count them (src/base/selection.hpp), and prints
 * a cell (collectives.c). Returns whether there is such a collective. */
int measure_collective(const char* kind, size_t bytes, double budget_us);
/* Measures between two ranks, over the raw provider on an interface (arrival.c). Returns whether
 * the sizes are valid. */
int measure_arrival(int rank, const char* interface, int count, char** sizes, double budget_us);

#endif
