/* Contributions of shell quartets to the Fock matrix, shared among ranks and threads. */
#include "fock.h"

#include <stdlib.h>
#include <string.h>

#include "ranks.h"
#include "repulsion.h"
#include "threads.h"

Fock fock_of(const Basis* basis, const Pairs* pairs) {
  Fock fock = {.functions = basis->functions, .pairs = pairs, .tasks = tasks_of(pairs)};
  fock.of_thread = ranks_memory((size_t)threads_all(), sizeof *fock.of_thread);
  for (int i = 0; i < threads_all(); ++i)
    fock.of_thread[i] =
        ranks_memory((size_t)fock.functions * fock.functions, sizeof **fock.of_thread);
  return fock;
}

void fock_free(Fock* fock) {
  for (int i = 0; i < threads_all(); ++i) free(fock->of_thread[i]);
  free(fock->of_thread);
  free(fock->tasks.task);
}

/* Adds the integrals (ab|cd) of a quartet. Those with a and b, c and d, or both sides exchanged are
 * the same: `weight` counts them, and the matrix is made symmetric at the end. */
static void add_quartet(const Pair* bra, const Pair* ket, const double* integral, double weight,
                        size_t n, const double* density, double* fock) {
  for (int i = 0; i < pair_functions(bra); ++i) {
    const int a = bra->a->first + i / bra->b->functions;
    const int b = bra->b->first + i % bra->b->functions;
    const double *density_a = density + a * n, *density_b = density + b * n;
    double *fock_a = fock + a * n, *fock_b = fock + b * n, coulomb = 0;
    for (int j = 0; j < pair_functions(ket); ++j) {
      const int c = ket->a->first + j / ket->b->functions;
      const int d = ket->b->first + j % ket->b->functions;
      const double value = weight * *integral++, exchange = -0.25 * value;
      coulomb += value * density[c * n + d];
      fock[c * n + d] += value * density_a[b];
      fock_a[c] += exchange * density_b[d];
      fock_a[d] += exchange * density_b[c];
      fock_b[c] += exchange * density_a[d];
      fock_b[d] += exchange * density_a[c];
    }
    fock_a[b] += coulomb;
  }
}

static void compute_task(const Pairs* pairs, const Task* task, size_t n, const double* density,
                         double* fock) {
  double integrals[most_pair_functions * most_pair_functions];
  const Pair* bra = &pairs->pair[task->bra];
  for (long i = task->first_ket; i < task->first_ket + task->kets; ++i) {
    const Pair* ket = &pairs->pair[i];
    int weight = (bra->a == bra->b ? 1 : 2) * (ket->a == ket->b ? 1 : 2) * (bra == ket ? 1 : 2);
    integrals_repulsion(bra, ket, integrals);
    add_quartet(bra, ket, integrals, weight, n, density, fock);
  }
}

static void compute_chunk(Fock* fock, Chunk chunk, const double* density) {
  const double start = ranks_seconds();
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
  for (long i = chunk.first; i < chunk.first + chunk.count; ++i)
    compute_task(fock->pairs, &fock->tasks.task[i], (size_t)fock->functions, density,
                 fock->of_thread[threads_mine()]);
  fock->computing += ranks_seconds() - start;
}

/* Alone, as the master, or as a worker. */
static void compute(Fock* fock, const double* density) {
  if (ranks_all() == 1) {
    compute_chunk(fock, (Chunk){0, fock->tasks.count}, density);
  } else if (ranks_mine() == 0) {
    ranks_hand_out(fock->tasks.count);
  } else {
    Chunk chunk = ranks_request();
    for (; chunk.count > 0; chunk = ranks_request()) compute_chunk(fock, chunk, density);
  }
}

void fock_build(Fock* fock, const double* density, double* result) {
  const int n = fock->functions;
  double* sum = fock->of_thread[0];
  for (int i = 0; i < threads_all(); ++i)
    memset(fock->of_thread[i], 0, (size_t)n * n * sizeof(double));
  compute(fock, density);
  for (int i = 1; i < threads_all(); ++i)
    for (size_t k = 0; k < (size_t)n * n; ++k) sum[k] += fock->of_thread[i][k];
  ranks_add_up(sum, n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      result[(size_t)i * n + j] = 0.25 * (sum[(size_t)i * n + j] + sum[(size_t)j * n + i]);
}
