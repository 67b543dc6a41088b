/* Operations on the memory of a rank that computes: it calls no MPI for a stretch of time, then
 * waits in MPI. An operation that takes about as long as the stretch has waited for its target; one
 * that takes as long as with an idle target (put, get, ...) needs it for nothing. The target never
 * computes for ever, because an operation is free to wait for it.
 *
 * Many short operations would hide one that waits, so each is timed by itself. */
#include <stdio.h>

#include "onesided.h"

enum { samples_min = 3, samples_max = 21 };
static const struct {
  const char* name;
  double us;
} stretches[] = {{"1ms", 1000}, {"10ms", 10000}};

/* By when the target has surely left the barrier and computes: a guess. */
static const double headstart_us = 20;

static void compute_for(double us) {
  for (double start = now_us(); now_us() - start < us;) continue;
}

static double time_beside_computing(Step* step, Exchange* x, double stretch_us) {
  const Access* a = x->more;
  double took[samples_max];
  int samples = (int)(4 * budget_us / stretch_us);
  samples = samples < samples_min ? samples_min : samples > samples_max ? samples_max : samples;
  for (int i = -1; i < samples; ++i) { /* the first one makes contact */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == a->target) compute_for(stretch_us);
    if (rank != 0) continue;
    compute_for(headstart_us);
    double start = now_us();
    step(x);
    if (i >= 0) took[i] = now_us() - start;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return rank == 0 ? median(took, samples) : 0;
}

static void cells_of(const char* name, Step* step, Exchange* x) {
  const Access* a = x->more;
  char variant[64];
  check_operation(x);
  if (rank == 0 && step == operate) MPI_Win_lock(MPI_LOCK_SHARED, a->target, 0, a->window->win);
  for (size_t s = 0; s < sizeof stretches / sizeof *stretches; ++s) {
    double value = time_beside_computing(step, x, stretches[s].us);
    snprintf(variant, sizeof variant, "/%s/%s/%s", name, kind_names[a->window->kind],
             stretches[s].name);
    print_cell("computing_target", variant, x->bytes, value);
  }
  if (rank == 0 && step == operate) MPI_Win_unlock(a->target, a->window->win);
}

static void one(const char* name, Step* step, Operation operation, int many, Kind kind,
                size_t bytes) {
  Window w = window_of(kind, (size_t)many * bytes);
  Access a = {&w, operation, many, bytes, MPI_LOCK_EXCLUSIVE, 1};
  Exchange x = {NULL, NULL, bytes, 0, 0, &a, 0};
  x.out = buffer_of((size_t)many * bytes);
  x.in = buffer_of((size_t)many * bytes);
  cells_of(name, step, &x);
  free(x.out);
  free(x.in);
  free_window(&w);
}

void computing_target(int count, char** sizes) {
  for (Kind kind = allocated; kind < window_kinds; ++kind) {
    for (Operation operation = put; operation <= accumulate; ++operation)
      for (int i = 0; i < count; ++i) {
        size_t bytes = strtoul(sizes[i], NULL, 10);
        if (operation == accumulate && bytes % sizeof(double)) continue;
        one(operation_names[operation], operate, operation, 1, kind, bytes);
      }
    for (Operation operation = fetch_and_op; operation <= compare_and_swap; ++operation)
      one(operation_names[operation], operate, operation, 1, kind, 8);
    one("put_rate", operate, put, 64, kind, 8); /* all of them and their flush */
    one("get_rate", operate, get, 64, kind, 8);
    one("lock_unlock", lock_unlock, put, 1, kind, 8);
    one("lock_put_unlock", lock_put_unlock, put, 1, kind, 8);
  }
}
