/* One-electron integrals: overlap, kinetic energy, attraction by the nuclei. */
#include "one_electron.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { most_order = 3 }; /* of b: kinetic energy needs two more than a p function has */

typedef struct {
  double s[3][2][most_order + 1]; /* along each axis, by the orders of a and b */
} Overlaps;

/* Overlap of x_a^i x_b^j along each axis, by the recursion of Obara and Saika. */
static Overlaps overlaps(const Shell* a, const Shell* b, double alpha, double beta) {
  Overlaps result;
  double p = alpha + beta, half = 0.5 / p;
  for (int axis = 0; axis < 3; ++axis) {
    double(*s)[most_order + 1] = result.s[axis];
    double apart = a->position[axis] - b->position[axis];
    double from_a = -beta / p * apart, from_b = alpha / p * apart;
    s[0][0] = sqrt(pi / p) * exp(-alpha * beta / p * apart * apart);
    for (int j = 0; j < most_order; ++j)
      s[0][j + 1] = from_b * s[0][j] + (j > 0 ? half * j * s[0][j - 1] : 0);
    for (int j = 0; j <= most_order; ++j)
      s[1][j] = from_a * s[0][j] + (j > 0 ? half * j * s[0][j - 1] : 0);
  }
  return result;
}

/* Overlap, and kinetic energy: -1/2 the second derivative of b, axis by axis. */
static void add_primitives(const Overlaps* o, double beta, const int* i, const int* j,
                           double factor, double* overlap, double* kinetic) {
  double s[3], t[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double* row = o->s[axis][i[axis]];
    s[axis] = row[j[axis]];
    t[axis] = beta * (2 * j[axis] + 1) * s[axis] - 2 * beta * beta * row[j[axis] + 2];
  }
  *overlap += factor * s[0] * s[1] * s[2];
  *kinetic += factor * (t[0] * s[1] * s[2] + s[0] * t[1] * s[2] + s[0] * s[1] * t[2]);
}

static void add_shells(const Shell* a, const Shell* b, int n, double* overlap, double* kinetic) {
  for (int p = 0; p < contraction; ++p)
    for (int q = 0; q < contraction; ++q) {
      Overlaps o = overlaps(a, b, a->exponent[p], b->exponent[q]);
      for (int i = 0; i < a->functions; ++i)
        for (int j = 0; j < b->functions; ++j) {
          int order_a[3] = {i == 1, i == 2, i == 3}, order_b[3] = {j == 1, j == 2, j == 3};
          int place = (a->first + i) * n + b->first + j;
          add_primitives(&o, b->exponent[q], order_a, order_b,
                         a->factor[i > 0][p] * b->factor[j > 0][q], &overlap[place],
                         &kinetic[place]);
        }
    }
}

void integrals_overlap_and_kinetic(const Basis* basis, double* overlap, double* kinetic) {
  const size_t bytes = (size_t)basis->functions * (size_t)basis->functions * sizeof(double);
  memset(overlap, 0, bytes);
  memset(kinetic, 0, bytes);
  for (int i = 0; i < basis->shells; ++i)
    for (int j = 0; j < basis->shells; ++j)
      add_shells(&basis->shell[i], &basis->shell[j], basis->functions, overlap, kinetic);
}

/* A nucleus is a charge distribution with an infinite exponent. */
static void attract(const Pair* pair, const Atom* atom, double* result) {
  double r[most_hermites][most_lanes];
  Distances distances = {.lanes = pair->primitives};
  for (int k = 0; k < pair->primitives; ++k) {
    distances.exponent[k] = pair->exponent[k];
    distances.factor[k] = -atom->charge * 2 * pi / pair->exponent[k];
    for (int axis = 0; axis < 3; ++axis)
      distances.apart[axis][k] = pair->center[axis][k] - atom->position[axis];
  }
  hermite_coulomb(pair->degree, &distances, r);
  for (int n = 0; n < pair_terms[pair->degree]; ++n) {
    const Term term = pair_term[pair->degree][n];
    for (int k = 0; k < pair->primitives; ++k)
      result[term.function] += pair->value[n][k] * r[term.hermite][k];
  }
}

void integrals_add_attraction(const Basis* basis, const Pairs* pairs, const Molecule* molecule,
                              double* core) {
  const int n = basis->functions;
  for (long i = 0; i < pairs->count; ++i) {
    const Pair* pair = &pairs->pair[i];
    double attraction[most_pair_functions] = {0};
    for (int k = 0; k < molecule->atoms; ++k) attract(pair, &molecule->atom[k], attraction);
    for (int j = 0; j < pair_functions(pair); ++j) {
      int a = pair->a->first + j / pair->b->functions, b = pair->b->first + j % pair->b->functions;
      core[a * n + b] += attraction[j];
      if (pair->a != pair->b) core[b * n + a] += attraction[j];
    }
  }
}
