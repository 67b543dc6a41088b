/* What the weather begins with, and for two cases what it must be later. */
#include <math.h>
#include <stdlib.h>

#include "weather.h"

const char* const case_names[cases] = {"storm", "geostrophic", "wave"};

static const double pi = 3.14159265358979323846;
static const double courant = 0.5; /* the scheme is stable up to 0.61 */

static const Plane planes[cases] = {
    {.side = 4e6, .depth = 1000, .coriolis = 1e-4, .fastest = 150, .viscosity = 3},
    {.side = 1e6, .depth = 1000, .coriolis = 1e-4, .fastest = 125},
    {.side = 1e6, .depth = 1000, .coriolis = 1e-4, .fastest = 100},
};

Plane plane_of(Case which, int cells) {
  Plane plane = planes[which];
  plane.cell = plane.side / cells;
  plane.viscosity *= plane.cell; /* as little as filaments of a few cells need */
  plane.timestep = courant * plane.cell / plane.fastest;
  return plane;
}

typedef struct {
  double x, y, radius; /* in sides of the plane */
  double wind;         /* the strongest, in m/s; negative turns clockwise */
} Storm;

static const Storm storms[] = {
    {0.30, 0.38, 0.024, 38},  {0.355, 0.36, 0.019, 32}, {0.32, 0.32, 0.016, 28},
    {0.70, 0.62, 0.028, 40},  {0.635, 0.65, 0.018, 30}, {0.73, 0.55, 0.015, 26},
    {0.13, 0.78, 0.022, 34},  {0.18, 0.74, 0.020, 30},  {0.84, 0.22, 0.020, 36},
    {0.50, 0.90, 0.016, 28},  {0.54, 0.875, 0.018, 30}, {0.92, 0.46, 0.016, 30},
    {0.48, 0.10, 0.022, 30},  {0.10, 0.12, 0.030, 24},  {0.04, 0.08, 0.018, 26},
    {0.53, 0.48, 0.045, -12}, {0.87, 0.87, 0.050, -14}, {0.33, 0.62, 0.035, -10},
    {0.66, 0.22, 0.050, -12}, {0.10, 0.45, 0.040, -10},
};

/* The shortest way on a plane that closes on itself. */
static double distance(double to, double from, double side) {
  double way = to - from;
  return way - side * floor(way / side + 0.5);
}

/* Bell-shaped streamfunctions; each storm's surface balances its wind (gradient wind balance), so
 * that only storms near each other send out waves at the start. */
static Air storm_air(const Plane* p, double x, double y) {
  Air air = {p->depth, 0, 0};
  for (size_t i = 0; i < sizeof storms / sizeof *storms; ++i) {
    double dx = distance(x, storms[i].x * p->side, p->side);
    double dy = distance(y, storms[i].y * p->side, p->side);
    double radius = storms[i].radius * p->side, square = dx * dx + dy * dy;
    if (square > 70 * radius * radius) continue; /* below rounding */
    double bell = storms[i].wind * radius * exp(0.5 - 0.5 * square / (radius * radius));
    air.depth -= bell * (p->coriolis + 0.5 * bell / (radius * radius)) / gravity;
    air.east -= bell * dy / (radius * radius);
    air.north += bell * dx / (radius * radius);
  }
  return air;
}

/* Parallel streams aslant on the plane, in balance: everything depends on one phase alone, so
 * nothing is carried anywhere, and pressure balances the Coriolis force. Steady. */
static Air geostrophic_air(const Plane* p, double x, double y) {
  const double k = 2 * pi / p->side, l = 2 * k, wind = 20, stream = wind / sqrt(k * k + l * l);
  double phase = k * x + l * y;
  Air air = {p->depth + p->coriolis / gravity * stream * sin(phase), -l * stream * cos(phase),
             k * stream * cos(phase)};
  return air;
}

/* A plane inertia-gravity wave, so low that the equations are linear to it:
 * omega^2 = f^2 + g H (k^2 + l^2). */
static Air wave_air(const Plane* p, double x, double y, double seconds) {
  const double k = 4 * pi / p->side, l = 0.5 * k, height = 1e-4, f = p->coriolis;
  const double square = k * k + l * l, omega = sqrt(f * f + gravity * p->depth * square);
  double phase = k * x + l * y - omega * seconds, scale = height / (p->depth * square);
  Air air = {p->depth + height * cos(phase), scale * (k * omega * cos(phase) - l * f * sin(phase)),
             scale * (l * omega * cos(phase) + k * f * sin(phase))};
  return air;
}

Air air_at(Case which, const Plane* p, double x, double y, double seconds) {
  if (which == case_geostrophic) return geostrophic_air(p, x, y);
  if (which == case_wave) return wave_air(p, x, y, seconds);
  return storm_air(p, x, y);
}

/* Depth in the middle of each cell, winds on its western and southern face. */
static void first_row(Case which, const Plane* p, int cells, int row, double* values) {
  for (int i = 0; i < cells; ++i) {
    double x = i * p->cell, y = row * p->cell, half = 0.5 * p->cell;
    values[i] = air_at(which, p, x + half, y + half, 0).depth;
    values[cells + i] = air_at(which, p, x, y + half, 0).east;
    values[2 * cells + i] = air_at(which, p, x + half, y, 0).north;
  }
}

/* Rank 0 makes the rows, as if it read them, and broadcasts some at a time; each rank keeps what
 * lies in its block. */
void spread_first_state(Case which, const Plane* p, const Block* b, double* state) {
  enum { rows_at_once = 16 };
  const size_t line = (size_t)fields * (size_t)b->cells;
  double* values = memory_for(rows_at_once * line, sizeof *values);
  for (int first = 0; first < b->cells; first += rows_at_once) {
    int rows = b->cells - first < rows_at_once ? b->cells - first : rows_at_once;
    PARALLEL_ROWS
    for (int row = 0; row < (b->rank == 0 ? rows : 0); ++row)
      first_row(which, p, b->cells, first + row, values + (size_t)row * line);
    MPI_Bcast(values, rows * (int)line, MPI_DOUBLE, 0, b->ranks);
    for (int row = 0; row < rows; ++row) {
      int mine = first + row - b->first_y;
      if (mine < 0 || mine >= b->height) continue;
      for (int field = 0; field < fields; ++field)
        for (int i = 0; i < b->width; ++i)
          state[(size_t)field * b->plane + (size_t)(mine + 1) * b->pitch + (size_t)i + 1] =
              values[(size_t)row * line + (size_t)(field * b->cells + b->first_x + i)];
    }
  }
  free(values);
  exchange_frame(b, state);
}
