/* Boys functions: a Taylor series about the nearest point of a table, or the asymptote. */
#include "boys.h"

#include <math.h>

/* The derivative of F_m is -F_(m+1), so a table of F has all terms of its series. */
enum { terms = 7, points_per_unit = 16, last_x = 36, points = last_x * points_per_unit + 1 };
enum { columns = most_boys + terms };
static double table[points][columns];

/* The highest order by its series, which converges for every x but needs many terms; the others by
 * downward recursion, which is stable. */
static void fill_row(double x, double* row) {
  const int highest = columns - 1;
  double term = 1.0 / (2 * highest + 1), sum = 0;
  for (int i = 1; term > 1e-18 * sum; ++i) {
    sum += term;
    term *= 2 * x / (2 * (highest + i) + 1);
  }
  row[highest] = exp(-x) * sum;
  for (int m = highest; m > 0; --m) row[m - 1] = (2 * x * row[m] + exp(-x)) / (2 * m - 1);
}

void boys_start(void) {
  for (int i = 0; i < points; ++i) fill_row((double)i / points_per_unit, table[i]);
}

void boys(int highest, double x, double* f) {
  static const double pi = 3.14159265358979323846;
  static const double inverse[terms] = {0, 1, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5, 1.0 / 6};
  if (x >= last_x - 0.5) { /* what is left out is below exp(-x) / 2x = 6e-18 */
    f[0] = 0.5 * sqrt(pi / x);
    for (int m = 0; m < highest; ++m) f[m + 1] = (2 * m + 1) * f[m] / (2 * x);
    return;
  }
  int nearest = (int)(x * points_per_unit + 0.5);
  double d = (double)nearest / points_per_unit - x; /* at most 1/32: the error is below 1e-15 */
  const double* row = table[nearest];
  for (int m = 0; m <= highest; ++m) {
    f[m] = row[m + terms - 1];
    for (int i = terms - 1; i > 0; --i) f[m] = row[m + i - 1] + d * inverse[i] * f[m];
  }
}
