/* The shallow-water equations on a C grid: the scheme of R. Sadourny (J. Atmos. Sci. 32, 1975,
 * 680-689) that conserves mass and potential enstrophy, in vector-invariant form,
 *
 *   du/dt = +q V - dE/dx    dv/dt = -q U - dE/dy    dh/dt = -dU/dx - dV/dy
 *
 * with U = h u, V = h v, q = (f + dv/dx - du/dy) / h and E = g h + (u^2 + v^2) / 2, and the
 * three-stage Runge-Kutta steps of L. Wicker and W. Skamarock (Mon. Weather Rev. 130, 2002,
 * 2088-2097), which the WRF model uses too. Both are of second order. Winds may be viscous; as in
 * WRF that is taken from the step's first state alone. */
#include <stdlib.h>

#include "weather.h"

const double gravity = 9.81;

/* Zeroed by the threads that will work on it, so that it lies near them. */
static double* new_fields(const Block* b, size_t count) {
  double* data = malloc(count * b->plane * sizeof *data);
  if (!data) stop("not enough memory");
  for (size_t field = 0; field < count; ++field) {
    double* plane = data + field * b->plane;
    PARALLEL_ROWS
    for (int j = 0; j < b->height + 2; ++j)
      for (size_t i = 0; i < b->pitch; ++i) plane[(size_t)j * b->pitch + i] = 0;
  }
  return data;
}

Weather new_weather(const Block* b) {
  Weather w = {new_fields(b, fields), new_fields(b, fields), new_fields(b, 1),
               new_fields(b, 1),      new_fields(b, 1),      new_fields(b, 1)};
  return w;
}

void free_weather(Weather* w) {
  free(w->state);
  free(w->stage);
  free(w->flux_east);
  free(w->flux_north);
  free(w->swirl);
  free(w->energy);
}

/* Fluxes, swirl and energy from a state with its frame, as far as advance() reaches. */
static void diagnose(const Weather* w, const Block* b, const Plane* p, const double* state) {
  const size_t pitch = b->pitch;
  const int width = b->width, height = b->height;
  const double per_cell = 1 / p->cell, coriolis = p->coriolis;
  PARALLEL_ROWS
  for (int j = 0; j <= height + 1; ++j) {
    const size_t row = (size_t)j * pitch;
    const double *h = state + row, *u = h + b->plane, *v = u + b->plane;
    double *east = w->flux_east + row, *north = w->flux_north + row;
    double *swirl = w->swirl + row, *energy = w->energy + row;
    if (j <= height) {
      const double* v_above = v + pitch;
      for (int i = 1; i <= width + 1; ++i) east[i] = 0.5 * (h[i - 1] + h[i]) * u[i];
      for (int i = 0; i <= width; ++i)
        energy[i] = gravity * h[i] + 0.25 * ((u[i] * u[i] + u[i + 1] * u[i + 1]) +
                                             (v[i] * v[i] + v_above[i] * v_above[i]));
    }
    if (j >= 1) {
      const double *h_below = h - pitch, *u_below = u - pitch;
      for (int i = 0; i <= width; ++i) north[i] = 0.5 * (h_below[i] + h[i]) * v[i];
      for (int i = 1; i <= width + 1; ++i)
        swirl[i] = (coriolis + per_cell * ((v[i] - v[i - 1]) - (u[i] - u_below[i]))) /
                   (0.25 * ((h[i - 1] + h[i]) + (h_below[i - 1] + h_below[i])));
    }
  }
}

/* The sum of differences to the four neighbors. */
static double spread(const double* at, size_t pitch) {
  return ((at[-1] - *at) + (at[1] - *at)) + ((*(at - pitch) - *at) + (at[pitch] - *at));
}

/* The layer in one row: next = now + seconds * tendency, cells 1 to `width`. */
static void next_depth(const Weather* w, size_t row, size_t pitch, int width, double per_cell,
                       const double* h, double* restrict next) {
  const double *east = w->flux_east + row, *north = w->flux_north + row;
  const double* north_above = north + pitch;
  for (int i = 1; i <= width; ++i)
    next[i] = h[i] - per_cell * ((east[i + 1] - east[i]) + (north_above[i] - north[i]));
}

typedef struct {
  double coriolis, slope, viscous; /* a step's factors before the terms of the wind */
} Factors;

static void next_east(const Weather* w, size_t row, size_t pitch, int width, Factors by,
                      const double* u, double* restrict next) {
  const double *north = w->flux_north + row, *north_above = north + pitch;
  const double *swirl = w->swirl + row, *swirl_above = swirl + pitch, *energy = w->energy + row;
  for (int i = 1; i <= width; ++i) {
    double flux = (north[i - 1] + north[i]) + (north_above[i - 1] + north_above[i]);
    next[i] = u[i] + by.coriolis * (swirl[i] + swirl_above[i]) * flux -
              by.slope * (energy[i] - energy[i - 1]) + by.viscous * spread(u + i, pitch);
  }
}

static void next_north(const Weather* w, size_t row, size_t pitch, int width, Factors by,
                       const double* v, double* restrict next) {
  const double *east = w->flux_east + row, *east_below = east - pitch;
  const double *swirl = w->swirl + row, *energy = w->energy + row, *energy_below = energy - pitch;
  for (int i = 1; i <= width; ++i) {
    double flux = (east[i] + east[i + 1]) + (east_below[i] + east_below[i + 1]);
    next[i] = v[i] - by.coriolis * (swirl[i] + swirl[i + 1]) * flux -
              by.slope * (energy[i] - energy_below[i]) + by.viscous * spread(v + i, pitch);
  }
}

/* to = from + seconds * tendencies */
static void advance(const Weather* w, const Block* b, const Plane* p, double seconds,
                    const double* from, double* to) {
  const size_t pitch = b->pitch, plane = b->plane;
  const double per_cell = seconds / p->cell;
  const Factors by = {0.125 * seconds, per_cell, per_cell * p->viscosity / p->cell};
  PARALLEL_ROWS
  for (int j = 1; j <= b->height; ++j) {
    const size_t row = (size_t)j * pitch;
    const double* here = from + row;
    double* next = to + row;
    next_depth(w, row, pitch, b->width, per_cell, here, next);
    next_east(w, row, pitch, b->width, by, here + plane, next + plane);
    next_north(w, row, pitch, b->width, by, here + 2 * plane, next + 2 * plane);
  }
}

/* The frame of the state is valid before and after. */
void step(Weather* w, const Block* b, const Plane* p) {
  static const double parts[] = {1.0 / 3, 1.0 / 2, 1};
  for (int stage = 0; stage < 3; ++stage) {
    diagnose(w, b, p, stage ? w->stage : w->state);
    advance(w, b, p, parts[stage] * p->timestep, w->state, w->stage);
    exchange_frame(b, w->stage);
  }
  double* old = w->state;
  w->state = w->stage;
  w->stage = old;
}
