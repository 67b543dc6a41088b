/* Shell pairs: the expansion of products of Gaussians in Hermite Gaussians. */
#include "pair.h"

#include <math.h>

#include "ranks.h"

/* A product of primitives below exp(-this) = 1e-16 is left out: it is lost in rounding. */
static const double largest_exponent = 36.84;

int pair_terms[3];
Term pair_term[3][most_terms];

/* Function 0 of a shell is s; function 1 + axis is p along this axis. */
static int order_along(int axis, int function) {
  return function == axis + 1;
}

static void list_terms(int degree) {
  int a_functions = degree > 0 ? 4 : 1, b_functions = degree > 1 ? 4 : 1, count = 0;
  for (int i = 0; i < a_functions * b_functions; ++i)
    for (int h = 0; h < hermites[degree]; ++h) {
      int fits = 1;
      for (int axis = 0; axis < 3; ++axis)
        fits = fits && hermite_order[h][axis] <=
                           order_along(axis, i / b_functions) + order_along(axis, i % b_functions);
      if (fits) pair_term[degree][count++] = (Term){i, h};
    }
  pair_terms[degree] = count;
}

void pair_start(void) {
  for (int degree = 0; degree <= 2; ++degree) list_terms(degree);
}

/* Coefficient of Hermite order t in x_a^i x_b^j exp(...), i and j 0 or 1, along one axis. */
static double expansion(int i, int j, int t, double from_a, double from_b, double half) {
  if (i + j == 0) return 1;
  if (i + j == 1) return t == 0 ? (i ? from_a : from_b) : half;
  return t == 0 ? from_a * from_b + half : t == 1 ? half * (from_a + from_b) : half * half;
}

/* Adds primitives i of a and j of b. */
static void add_primitives(Pair* pair, int i, int j, double overlap) {
  const Shell *a = pair->a, *b = pair->b;
  const int k = pair->primitives++;
  double p = a->exponent[i] + b->exponent[j], from_a[3], from_b[3];
  pair->exponent[k] = p;
  for (int axis = 0; axis < 3; ++axis) {
    double center = (a->exponent[i] * a->position[axis] + b->exponent[j] * b->position[axis]) / p;
    pair->center[axis][k] = center;
    from_a[axis] = center - a->position[axis];
    from_b[axis] = center - b->position[axis];
  }
  for (int n = 0; n < pair_terms[pair->degree]; ++n) {
    Term term = pair_term[pair->degree][n];
    int in_a = term.function / b->functions, in_b = term.function % b->functions;
    double value = overlap * a->factor[in_a > 0][i] * b->factor[in_b > 0][j];
    for (int axis = 0; axis < 3; ++axis)
      value *= expansion(order_along(axis, in_a), order_along(axis, in_b),
                         hermite_order[term.hermite][axis], from_a[axis], from_b[axis], 0.5 / p);
    pair->value[n][k] = value;
  }
}

int pair_of(const Shell* a, const Shell* b, Pair* pair) {
  double exponent[contraction][contraction], square = 0;
  int any = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double d = a->position[axis] - b->position[axis];
    square += d * d;
  }
  for (int i = 0; i < contraction; ++i)
    for (int j = 0; j < contraction; ++j) {
      double p = a->exponent[i], q = b->exponent[j];
      exponent[i][j] = p * q / (p + q) * square;
      any = any || exponent[i][j] < largest_exponent;
    }
  if (!any) return 0;
  *pair = (Pair){.a = a, .b = b, .degree = a->momentum + b->momentum};
  pair->value = ranks_memory((size_t)pair_terms[pair->degree], sizeof *pair->value);
  for (int i = 0; i < contraction; ++i)
    for (int j = 0; j < contraction; ++j)
      if (exponent[i][j] < largest_exponent) add_primitives(pair, i, j, exp(-exponent[i][j]));
  return 1;
}
