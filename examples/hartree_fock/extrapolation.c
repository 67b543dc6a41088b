/* DIIS. */
#include "extrapolation.h"

#include <stdlib.h>
#include <string.h>

#include "matrix.h"

Extrapolation extrapolation_new(int n) {
  Extrapolation history = {.n = n};
  for (int i = 0; i < most_history; ++i) {
    history.fock[i] = matrix_new(n);
    history.error[i] = matrix_new(n);
  }
  return history;
}

void extrapolation_free(Extrapolation* history) {
  for (int i = 0; i < most_history; ++i) {
    free(history->fock[i]);
    free(history->error[i]);
  }
}

/* The smallest square of a sum of errors whose factors add up to 1. The multiplier of this
 * condition is the last unknown. Errors shrink by orders of magnitude, so they are scaled to the
 * newest. */
static int find_factors(const Extrapolation* history, int used, int newest, double* factor) {
  double a[(most_history + 1) * (most_history + 1)];
  const int unknowns = used + 1;
  for (int i = 0; i < unknowns; ++i) {
    factor[i] = i == used;
    for (int j = 0; j < unknowns; ++j)
      a[i * unknowns + j] = i == used && j == used ? 0
                            : i == used || j == used
                                ? 1
                                : history->product[i][j] / history->product[newest][newest];
  }
  return matrix_solve(unknowns, a, factor);
}

void extrapolate(Extrapolation* history, double* fock, const double* error) {
  const size_t elements = (size_t)history->n * history->n;
  const int newest = history->count++ % most_history;
  const int used = history->count < most_history ? history->count : most_history;
  double factor[most_history + 1];
  memcpy(history->fock[newest], fock, elements * sizeof *fock);
  memcpy(history->error[newest], error, elements * sizeof *error);
  for (int i = 0; i < used; ++i)
    history->product[i][newest] = history->product[newest][i] =
        matrix_dot(history->n, history->error[i], history->error[newest]);
  if (history->product[newest][newest] == 0 || find_factors(history, used, newest, factor) != 0)
    return;
  memset(fock, 0, elements * sizeof *fock);
  for (int i = 0; i < used; ++i)
    for (size_t k = 0; k < elements; ++k) fock[k] += factor[i] * history->fock[i][k];
}
