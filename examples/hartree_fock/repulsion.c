/* Electron repulsion integrals, after McMurchie and Davidson. */
#include "repulsion.h"

#include <math.h>

#include "boys.h"

void integrals_start(void) {
  boys_start();
  hermite_start();
  pair_start();
}

/* One pair of primitives of the bra against all of the ket. */
static void find_distances(const Pair* bra, int primitive, const Pair* ket, Distances* distances) {
  static const double two_pi_to_5_2 = 34.986836655249725693; /* 2 pi^(5/2) */
  const double p = bra->exponent[primitive];
  const int lanes = distances->lanes = ket->primitives;
  for (int k = 0; k < lanes; ++k) {
    double q = ket->exponent[k], product = p * q, sum = p + q;
    distances->exponent[k] = product / sum;
    distances->factor[k] = two_pi_to_5_2 / (product * sqrt(sum));
  }
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 0; k < lanes; ++k)
      distances->apart[axis][k] = bra->center[axis][primitive] - ket->center[axis][k];
}

static double product(const double* a, const double* b, int lanes) {
  double sum = 0;
  for (int k = 0; k < lanes; ++k) sum += a[k] * b[k];
  return sum;
}

/* half[bra's Hermite Gaussian][ket function]: the ket is summed over its primitives and terms. A
 * derivative to the ket's center has the opposite sign of one to the bra's. */
static void sum_ket(int bra_hermites, const Pair* ket, double r[][most_lanes],
                    double half[][most_pair_functions]) {
  for (int p = 0; p < bra_hermites; ++p)
    for (int i = 0; i < pair_functions(ket); ++i) half[p][i] = 0;
  for (int n = 0; n < pair_terms[ket->degree]; ++n) {
    const Term term = pair_term[ket->degree][n];
    const double* value = ket->value[n];
    const int* sum = hermite_sum[term.hermite];
    const double sign = hermite_degree[term.hermite] % 2 ? -1 : 1;
    for (int p = 0; p < bra_hermites; ++p)
      half[p][term.function] += sign * product(value, r[sum[p]], ket->primitives);
  }
}

void integrals_repulsion(const Pair* bra, const Pair* ket, double* result) {
  const int functions = pair_functions(ket);
  double r[most_hermites][most_lanes], half[most_pair_hermites][most_pair_functions];
  Distances distances;
  for (int i = 0; i < pair_functions(bra) * functions; ++i) result[i] = 0;
  for (int primitive = 0; primitive < bra->primitives; ++primitive) {
    find_distances(bra, primitive, ket, &distances);
    hermite_coulomb(bra->degree + ket->degree, &distances, r);
    sum_ket(hermites[bra->degree], ket, r, half);
    for (int n = 0; n < pair_terms[bra->degree]; ++n) {
      const Term term = pair_term[bra->degree][n];
      const double value = bra->value[n][primitive], *from = half[term.hermite];
      double* to = result + term.function * functions;
      for (int i = 0; i < functions; ++i) to[i] += value * from[i];
    }
  }
}

double integrals_bound(const Pair* pair) {
  const int functions = pair_functions(pair);
  double all[most_pair_functions * most_pair_functions], largest = 0;
  integrals_repulsion(pair, pair, all);
  for (int i = 0; i < functions; ++i) largest = fmax(largest, all[i * functions + i]);
  return sqrt(largest);
}
