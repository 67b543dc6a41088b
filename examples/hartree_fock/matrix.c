/* Small dense linear algebra. Sums run in a fixed order, so that all ranks compute the same bits.
 */
#include "matrix.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

double* matrix_new(int n) {
  return ranks_memory((size_t)n * (size_t)n, sizeof(double));
}

void matrix_product(int n, const double* a, const double* b, double* ab) {
  for (int i = 0; i < n; ++i) {
    double* restrict row = ab + (size_t)i * n;
    memset(row, 0, (size_t)n * sizeof *row);
    for (int k = 0; k < n; ++k) {
      const double factor = a[(size_t)i * n + k], *from = b + (size_t)k * n;
      for (int j = 0; j < n; ++j) row[j] += factor * from[j];
    }
  }
}

void matrix_square(int rows, int n, const double* r, double* square) {
  for (int i = 0; i < n; ++i) {
    double* restrict row = square + (size_t)i * n;
    memset(row, 0, (size_t)n * sizeof *row);
    for (int k = 0; k < rows; ++k) {
      const double *from = r + (size_t)k * n, factor = from[i];
      for (int j = 0; j < n; ++j) row[j] += factor * from[j];
    }
  }
}

double matrix_dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (size_t i = 0; i < (size_t)n * n; ++i) sum += a[i] * b[i];
  return sum;
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

static void subtract(int n, double factor, const double* from, double* to) {
  for (int i = 0; i < n; ++i) to[i] -= factor * from[i];
}

/* Reflects column k of a, below the diagonal, onto its first element. The mirror's normal is left
 * in row k, right of the diagonal; returns the factor that goes with it. */
static double reflect(int n, int k, double* a, double* beside, double* work) {
  const int first = k + 1, m = n - first;
  double *v = a + (size_t)k * n + first, norm = sqrt(dot(m, v, v));
  *beside = v[0] > 0 ? -norm : norm;
  if (norm == 0) return 0;
  v[0] -= *beside;
  const double factor = 2 / dot(m, v, v);
  for (int i = 0; i < m; ++i) work[i] = factor * dot(m, a + (size_t)(first + i) * n + first, v);
  subtract(m, 0.5 * factor * dot(m, work, v), v, work);
  for (int i = 0; i < m; ++i) {
    double* row = a + (size_t)(first + i) * n + first;
    subtract(m, v[i], work, row);
    subtract(m, work[i], v, row);
  }
  return factor;
}

/* Householder: the symmetric a becomes `diagonal` and `beside` it; the rows of q turn a into that.
 */
static void tridiagonalize(int n, double* a, double* diagonal, double* beside, double* q) {
  double *work = ranks_memory((size_t)n, sizeof *work),
         *factor = ranks_memory((size_t)n, sizeof *factor);
  for (int k = 0; k + 2 < n; ++k) factor[k] = reflect(n, k, a, &beside[k], work);
  if (n > 1) beside[n - 2] = a[(size_t)(n - 2) * n + n - 1];
  memset(q, 0, (size_t)n * n * sizeof *q);
  for (int i = 0; i < n; ++i) {
    diagonal[i] = a[(size_t)i * n + i];
    q[(size_t)i * n + i] = 1;
  }
  for (int k = n - 3; k >= 0; --k) {
    const double* v = a + (size_t)k * n + k + 1;
    for (int i = k + 1; i < n; ++i) {
      double* row = q + (size_t)i * n + k + 1;
      subtract(n - k - 1, factor[k] * dot(n - k - 1, row, v), v, row);
    }
  }
  free(factor);
  free(work);
}

static void rotate(int n, double c, double s, double* restrict one, double* restrict other) {
  for (int i = 0; i < n; ++i) {
    double x = one[i], y = other[i];
    one[i] = c * x + s * y;
    other[i] = c * y - s * x;
  }
}

/* One step of QR with Wilkinson's shift on rows low to high: a rotation makes a bulge beside the
 * tridiagonal, and further ones chase it down and out. */
static void chase(int n, int low, int high, double* d, double* e, double* q) {
  double half = 0.5 * (d[high - 1] - d[high]), last = e[high - 1];
  double root = sqrt(half * half + last * last);
  double x = d[low] - d[high] + last * last / (half + (half < 0 ? -root : root));
  double bulge = e[low];
  for (int k = low; k < high; ++k) {
    double r = sqrt(x * x + bulge * bulge), c = r > 0 ? x / r : 1, s = r > 0 ? bulge / r : 0;
    double a = d[k], b = d[k + 1], off = e[k];
    if (k > low) e[k - 1] = r;
    d[k] = c * c * a + 2 * c * s * off + s * s * b;
    d[k + 1] = s * s * a - 2 * c * s * off + c * c * b;
    e[k] = (c * c - s * s) * off + c * s * (b - a);
    x = e[k];
    if (k + 1 < high) {
      bulge = s * e[k + 1];
      e[k + 1] *= c;
    }
    rotate(n, c, s, q + (size_t)k * n, q + (size_t)(k + 1) * n);
  }
}

static void sort_rows(int n, double* values, double* vectors) {
  for (int i = 0; i < n; ++i) {
    int least = i;
    for (int j = i + 1; j < n; ++j)
      if (values[j] < values[least]) least = j;
    if (least == i) continue;
    double value = values[i];
    values[i] = values[least];
    values[least] = value;
    rotate(n, 0, 1, vectors + (size_t)i * n, vectors + (size_t)least * n);
  }
}

void matrix_eigen(int n, const double* a, double* values, double* vectors) {
  double *work = matrix_new(n), *beside = ranks_memory((size_t)n, sizeof *beside);
  int steps = 0;
  memcpy(work, a, (size_t)n * n * sizeof *work);
  tridiagonalize(n, work, values, beside, vectors);
  for (int high = n - 1; high > 0;) {
    int low = high;
    while (low > 0 &&
           fabs(beside[low - 1]) > DBL_EPSILON * (fabs(values[low - 1]) + fabs(values[low])))
      --low;
    if (low == high)
      --high;
    else
      chase(n, low, high, values, beside, vectors);
    if (++steps > 60 * n) ranks_stop("the eigenvalues do not converge");
  }
  sort_rows(n, values, vectors);
  free(beside);
  free(work);
}

int matrix_solve(int n, double* a, double* b) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
    if (!(fabs(a[pivot * n + k]) > 1e-14)) return -1;
    if (pivot != k) { /* exchange both rows, one with its sign turned, which does no harm */
      double value = b[k];
      rotate(n, 0, 1, a + k * n, a + pivot * n);
      b[k] = b[pivot];
      b[pivot] = -value;
    }
    for (int i = k + 1; i < n; ++i) {
      double factor = a[i * n + k] / a[k * n + k];
      subtract(n, factor, a + k * n, a + i * n);
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; --i)
    b[i] = (b[i] - dot(n - 1 - i, a + i * n + i + 1, b + i + 1)) / a[i * n + i];
  return 0;
}
