/* Source, receivers, the sponge around the ground, and what a receiver must hear in a uniform one.
 */
#include <math.h>
#include <stdlib.h>

#include "seismic.h"

static const double pi = 3.14159265358979323846;
static const double courant = 0.55;          /* the scheme is stable up to sqrt(3/8) */
static const double cells_per_wave = 12;     /* of the shortest wave at the wavelet's peak */
static const double uniform_frequency = 3.0; /* the same on all grids, so that they compare */

/* Waves fade towards the edges so that little is reflected: C. Cerjan et al., Geophysics 50 (1985)
 * 705-708. */
static double* taper(int cells, int sponge) {
  const double strength = 5; /* how much a wave fades in all does not depend on the cells */
  double* left = memory_for((size_t)cells, sizeof *left);
  for (int i = 0; i < cells; ++i) {
    int edge = i < cells - 1 - i ? i : cells - 1 - i;
    double depth = edge < sponge ? (double)(sponge - edge) / sponge : 0;
    left[i] = exp(-strength / sponge * depth * depth);
  }
  return left;
}

Survey plan_survey(Case which, const Model* m) {
  int sponge = (m->across < 2 * m->down ? m->across : 2 * m->down) / 24;
  Survey s = {.source_x = m->across * 9 / 20,
              .source_y = sponge + 4,
              .receiver_x = m->across / 2,
              .receiver_y = sponge + 2,
              .frequency = m->slowest / (cells_per_wave * m->spacing)};
  if (which == case_uniform) { /* in the middle, and aslant from there */
    s.source_x = m->across / 2;
    s.source_y = m->down / 2;
    s.receiver_x = s.source_x + m->across * 3 / 25;
    s.receiver_y = s.source_y + m->across * 9 / 100;
    s.frequency = uniform_frequency;
  }
  s.delay = 1.25 / s.frequency;
  s.timestep = courant * m->spacing / m->fastest;
  s.taper_x = taper(m->across, sponge);
  s.taper_y = taper(m->down, sponge);
  return s;
}

void free_survey(Survey* s) {
  free(s->taper_x);
  free(s->taper_y);
}

double ricker(const Survey* s, double time) {
  double phase = pi * s->frequency * (time - s->delay), square = phase * phase;
  return (1 - 2 * square) * exp(-square);
}

/* In a uniform ground. */
static double seconds_to_receiver(const Survey* s, const Model* m) {
  return hypot(s->receiver_x - s->source_x, s->receiver_y - s->source_y) * m->spacing / m->fastest;
}

/* Until the wave has passed the receiver, but before anything comes back from the edges. */
int steps_of_waveform(const Survey* s, const Model* m) {
  double seconds = s->delay + seconds_to_receiver(s, m) + 1.5 / s->frequency;
  return (int)ceil(seconds / s->timestep);
}

/* In a uniform ground of speed c, a line source w(t) in the plane sends out
 *   p(r, t) = 1/(2 pi) * integral from r/c to t of w(t - s) / sqrt(s^2 - (r/c)^2) ds,
 * here with s = r/c cosh(a), by the midpoint rule. */
static double exact_pressure(const Survey* s, double travel, double time) {
  enum { parts = 2000 };
  if (time <= travel) return 0;
  double sum = 0, width = acosh(time / travel) / parts;
  for (int i = 0; i < parts; ++i) sum += ricker(s, time - travel * cosh((i + 0.5) * width));
  return sum * width / (2 * pi);
}

/* Relative, root mean square. `pressure` is the receiver's after each step. */
double waveform_error(const Survey* s, const Model* m, const double* pressure, int steps) {
  double error = 0, all = 0, travel = seconds_to_receiver(s, m);
  for (int step = 1; step <= steps; ++step) {
    double exact = exact_pressure(s, travel, step * s->timestep);
    error += (pressure[step - 1] - exact) * (pressure[step - 1] - exact);
    all += exact * exact;
  }
  return sqrt(error / all);
}
