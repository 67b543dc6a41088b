/* Grounds that are made, not measured. */
#include <math.h>

#include "seismic.h"

static const double side = 12000; /* of every made model; it is half as deep */

/* Bent layers, faster with depth for the most part, and a fault right of which they have slid down.
 * `x`, `y` and the size of a cell are in sides of the model. Cells through which a boundary goes
 * have a speed between, as steps would scatter waves. */
static double layered_speed(double x, double y, double cell) {
  static const double layers[][3] = {/* depth of the upper boundary, its bend, speed below */
                                     {-1, 0, 2000},        {0.09, 0.010, 2350},
                                     {0.15, -0.014, 2750}, {0.22, 0.012, 2500},
                                     {0.27, 0.016, 3300},  {0.37, -0.020, 4000}};
  const double fault = 0.62 - 0.35 * y, slid = 0.035;
  double speed = 0;
  if (x > fault) y -= slid;
  for (size_t i = 0; i < sizeof layers / sizeof *layers; ++i) {
    double below = y - layers[i][0] - layers[i][1] * sin(7 * x + (double)i);
    double share = fmin(fmax(below / cell + 0.5, 0), 1);
    speed += share * (layers[i][2] - speed);
  }
  return speed;
}

Model make_model(Case which, int cells, int worker, int workers) {
  const double uniform = 3000;
  Model model = {.across = cells, .down = (cells + 1) / 2, .spacing = side / cells};
  rows_of(model.down, workers, worker, &model.first, &model.rows);
  model.speed = memory_for((size_t)model.across * (size_t)model.rows, sizeof *model.speed);
  float* speed = model.speed;
  for (int y = model.first; y < model.first + model.rows; ++y)
    for (int x = 0; x < model.across; ++x)
      *speed++ = (float)(which == case_uniform
                             ? uniform
                             : layered_speed((x + 0.5) / cells, (y + 0.5) / cells, 1.0 / cells));
  return model;
}

void find_slowest_and_fastest(Model* m) {
  enum { slowest, against_fastest, ends };
  double mine[ends] = {INFINITY, INFINITY}, all[ends];
  for (size_t i = 0; i < (size_t)m->across * (size_t)m->rows; ++i) {
    mine[slowest] = fmin(mine[slowest], m->speed[i]);
    mine[against_fastest] = fmin(mine[against_fastest], -m->speed[i]);
  }
  MPI_Allreduce(mine, all, ends, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  m->slowest = all[slowest];
  m->fastest = -all[against_fastest];
}

const float* speeds_of_row(const Model* m, int y) {
  return m->speed + (size_t)(y - m->first) * (size_t)m->across;
}
