/* The electron density in the plane of the first three atoms, colored by its logarithm, with a line
 * at every power of ten. */
#include "picture.h"

#include <math.h>
#include <string.h>

#include "../png.h"
#include "ranks.h"

static const double margin = 4;                  /* bohr beyond the outermost atoms */
static const double near = 2;                    /* bohr: atoms this close to the plane are in it */
static const double lowest = 1e-4, highest = 10; /* electrons per cubic bohr */
enum { pixels = 720 };                           /* along the longer side */

typedef struct {
  double corner[3], across[3], down[3]; /* bohr; steps of one pixel */
  int width, height;
} Plane;

static double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double normalize(double* a) {
  double length = sqrt(dot(a, a));
  for (int i = 0; i < 3 && length > 0; ++i) a[i] /= length;
  return length;
}

/* Two directions at right angles: to another atom, and as far from it as any third one allows. */
static void find_directions(const Molecule* molecule, double* x, double* y) {
  const double* first = molecule->atom[0].position;
  x[0] = 1, x[1] = x[2] = 0;
  for (int i = 1; i < molecule->atoms; ++i) {
    double to[3];
    for (int k = 0; k < 3; ++k) to[k] = molecule->atom[i].position[k] - first[k];
    if (i == 1) {
      normalize(to);
      memcpy(x, to, sizeof to);
      continue;
    }
    double along = dot(to, x);
    for (int k = 0; k < 3; ++k) y[k] = to[k] - along * x[k];
    if (normalize(y) > 0.1) return;
  }
  /* all on one line: any plane through it */
  int least = fabs(x[0]) < 0.5 ? 0 : 1;
  for (int k = 0; k < 3; ++k) y[k] = (k == least) - x[least] * x[k];
  normalize(y);
}

static Plane plane_of(const Molecule* molecule) {
  const double* origin = molecule->atom[0].position;
  double x[3], y[3], low[2] = {0, 0}, high[2] = {0, 0};
  find_directions(molecule, x, y);
  for (int i = 0; i < molecule->atoms; ++i) {
    double from[3];
    for (int k = 0; k < 3; ++k) from[k] = molecule->atom[i].position[k] - origin[k];
    double at[2] = {dot(from, x), dot(from, y)};
    if (dot(from, from) - at[0] * at[0] - at[1] * at[1] > near * near) continue;
    for (int k = 0; k < 2; ++k) {
      low[k] = fmin(low[k], at[k]);
      high[k] = fmax(high[k], at[k]);
    }
  }
  double width = high[0] - low[0] + 2 * margin, height = high[1] - low[1] + 2 * margin;
  double step = fmax(width, height) / pixels;
  Plane plane = {.width = (int)(width / step), .height = (int)(height / step)};
  for (int k = 0; k < 3; ++k) {
    plane.across[k] = step * x[k];
    plane.down[k] = -step * y[k];
    plane.corner[k] = origin[k] + (low[0] - margin) * x[k] + (high[1] + margin) * y[k];
  }
  return plane;
}

/* `value` and `place` have space for all functions: those that are not zero here. */
static double density_at(const Basis* basis, const double* density, const double* point,
                         double* value, int* place) {
  const double too_far = 64; /* square of bohr: exp(-0.17 * 64) = 2e-5 for hydrogen's widest */
  double sum = 0;
  int count = 0;
  for (int i = 0; i < basis->shells; ++i) {
    const Shell* shell = &basis->shell[i];
    double square = 0;
    for (int k = 0; k < 3; ++k) square += pow(point[k] - shell->position[k], 2);
    for (int j = 0; square < too_far && j < shell->functions; ++j, ++count) {
      place[count] = shell->first + j;
      value[count] = basis_value(shell, j, point);
    }
  }
  for (int i = 0; i < count; ++i) {
    const double* row = density + (size_t)place[i] * basis->functions;
    for (int j = 0; j < i; ++j) sum += 2 * row[place[j]] * value[i] * value[j];
    sum += row[place[i]] * value[i] * value[i];
  }
  return sum;
}

/* Dark blue, blue, turquoise, yellow, white. */
static void color(double density, int line, unsigned char* rgb) {
  static const double scale[][3] = {{0.02, 0.03, 0.10}, {0.09, 0.16, 0.40}, {0.10, 0.45, 0.60},
                                    {0.30, 0.75, 0.60}, {0.95, 0.85, 0.35}, {1.00, 1.00, 0.95}};
  const int steps = sizeof scale / sizeof *scale - 1;
  double at = log(fmax(density, lowest) / lowest) / log(highest / lowest) * steps;
  int step = at < steps ? (int)at : steps - 1;
  double share = fmin(at - step, 1);
  for (int k = 0; k < 3; ++k) {
    double value = (1 - share) * scale[step][k] + share * scale[step + 1][k];
    rgb[k] = (unsigned char)(255 * (line ? 0.65 * value : value) + 0.5);
  }
}

static int power_of_ten(double density) {
  return (int)floor(log10(fmax(density, lowest / 10)));
}

static void paint(const Plane* plane, const double* values, unsigned char* rgb) {
  for (int y = 0; y < plane->height; ++y)
    for (int x = 0; x < plane->width; ++x) {
      const double* here = values + (size_t)y * plane->width + x;
      int power = power_of_ten(*here);
      int line = (x > 0 && power_of_ten(here[-1]) != power) ||
                 (y > 0 && power_of_ten(here[-plane->width]) != power);
      color(*here, line, rgb + 3 * ((size_t)y * plane->width + x));
    }
}

int picture_try(const char* path) {
  FILE* file = fopen(path, "ab");
  return file && fclose(file) == 0 ? 0 : -1;
}

int picture_write(const char* path, const Molecule* molecule, const Basis* basis,
                  const double* density) {
  const Plane plane = plane_of(molecule);
  const size_t count = (size_t)plane.width * plane.height;
  double* values = ranks_memory(count, sizeof *values);
  double* value = ranks_memory((size_t)basis->functions, sizeof *value);
  int* place = ranks_memory((size_t)basis->functions, sizeof *place);
  unsigned char* rgb = ranks_memory(count, 3);
  for (size_t i = 0; i < count; ++i) {
    double point[3], x = (double)(i % plane.width), y = (double)(i / plane.width);
    for (int k = 0; k < 3; ++k)
      point[k] = plane.corner[k] + x * plane.across[k] + y * plane.down[k];
    values[i] = density_at(basis, density, point, value, place);
  }
  paint(&plane, values, rgb);
  int result = png_write(path, rgb, plane.width, plane.height);
  if (result == 0) printf("picture: %s (%d x %d)\n", path, plane.width, plane.height);
  free(rgb);
  free(place);
  free(value);
  free(values);
  return result;
}
