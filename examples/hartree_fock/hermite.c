/* Coulomb integrals of Hermite Gaussians, for several pairs of primitives side by side. */
#include "hermite.h"

#include "boys.h"

int hermites[most_degree + 1];
int hermite_order[most_hermites][3];
int hermite_degree[most_hermites];
int hermite_sum[most_pair_hermites][most_pair_hermites];

/* How a derivative follows from ones with a lower degree along one axis:
 * to = apart[axis] * once + factor * twice. */
typedef struct {
  int axis, once, twice, factor;
} Step;
static Step step[most_hermites];

int hermite_place(int x, int y, int z) {
  for (int h = 0; h < most_hermites; ++h)
    if (hermite_order[h][0] == x && hermite_order[h][1] == y && hermite_order[h][2] == z) return h;
  return -1;
}

/* The axis of the lowest order: a first derivative has no second term. */
static Step step_to(const int* order) {
  int axis = -1, lower[3] = {order[0], order[1], order[2]};
  for (int i = 0; i < 3; ++i)
    if (order[i] > 0 && (axis < 0 || order[i] < order[axis])) axis = i;
  Step result = {.axis = axis, .factor = order[axis] - 1};
  lower[axis] -= 1;
  result.once = hermite_place(lower[0], lower[1], lower[2]);
  lower[axis] -= 1;
  if (result.factor > 0) result.twice = hermite_place(lower[0], lower[1], lower[2]);
  return result;
}

void hermite_start(void) {
  int count = 0;
  for (int degree = 0; degree <= most_degree; ++degree) {
    for (int x = degree; x >= 0; --x)
      for (int y = degree - x; y >= 0; --y, ++count) {
        int* order = hermite_order[count];
        order[0] = x, order[1] = y, order[2] = degree - x - y;
        hermite_degree[count] = degree;
        if (count > 0) step[count] = step_to(order);
      }
    hermites[degree] = count;
  }
  for (int a = 0; a < most_pair_hermites; ++a)
    for (int b = 0; b < most_pair_hermites; ++b) {
      const int *p = hermite_order[a], *q = hermite_order[b];
      hermite_sum[a][b] = hermite_place(p[0] + q[0], p[1] + q[1], p[2] + q[2]);
    }
}

/* r[h] takes the derivatives of one Boys order after the other, from the highest down: each is
 * made of lower ones of the order before, so going down in h overwrites none that is needed. */
void hermite_coulomb(int degree, const Distances* distances, double r[][most_lanes]) {
  const int lanes = distances->lanes;
  double base[most_degree + 1][most_lanes];
  for (int k = 0; k < lanes; ++k) {
    double f[most_boys + 1], square = 0, power = distances->factor[k];
    for (int axis = 0; axis < 3; ++axis)
      square += distances->apart[axis][k] * distances->apart[axis][k];
    boys(degree, distances->exponent[k] * square, f);
    for (int m = 0; m <= degree; ++m) {
      base[m][k] = power * f[m];
      power *= -2 * distances->exponent[k];
    }
  }
  for (int m = degree; m >= 0; --m) {
    for (int h = hermites[degree - m] - 1; h > 0; --h) {
      const Step s = step[h];
      const double *apart = distances->apart[s.axis], *once = r[s.once], *twice = r[s.twice];
      if (s.factor == 0)
        for (int k = 0; k < lanes; ++k) r[h][k] = apart[k] * once[k];
      else
        for (int k = 0; k < lanes; ++k) r[h][k] = apart[k] * once[k] + s.factor * twice[k];
    }
    for (int k = 0; k < lanes; ++k) r[0][k] = base[m][k];
  }
}
