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

Model make_model(Case which, int cells) {
  const double uniform = 3000;
  Model model = {cells, (cells + 1) / 2, side / cells, NULL};
  model.speed = memory_for((size_t)model.across * (size_t)model.down, sizeof *model.speed);
  for (int y = 0; y < model.down; ++y)
    for (int x = 0; x < model.across; ++x)
      model.speed[(size_t)y * (size_t)model.across + (size_t)x] =
          (float)(which == case_uniform
                      ? uniform
                      : layered_speed((x + 0.5) / cells, (y + 0.5) / cells, 1.0 / cells));
  return model;
}

void speed_range(const Model* model, double* slowest, double* fastest) {
  *slowest = *fastest = model->speed[0];
  for (size_t i = 0; i < (size_t)model->across * (size_t)model->down; ++i) {
    if (model->speed[i] < *slowest) *slowest = model->speed[i];
    if (model->speed[i] > *fastest) *fastest = model->speed[i];
  }
}
