/* Waves on the ground, and what the receivers hear, as pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../png.h"
#include "seismic.h"

int can_be_written(const char* path) {
  FILE* file = fopen(path, "ab"); /* leaves what is there */
  return file && fclose(file) == 0;
}

static double largest(const float* values, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; ++i) most = fmax(most, fabs(values[i]));
  return most > 0 ? most : 1;
}

/* From the ground's color to red (pressed together) or blue (pulled apart); `wave` -1 to 1. */
static void color(const double* ground, double wave, unsigned char* rgb) {
  static const double pressed[3] = {190, 20, 30}, pulled[3] = {20, 50, 170};
  const double* full = wave > 0 ? pressed : pulled;
  double share = fmin(pow(fabs(wave), 0.6), 1);
  for (int i = 0; i < 3; ++i) rgb[i] = (unsigned char)(ground[i] + share * (full[i] - ground[i]));
}

/* From sand to slate: the faster the darker. */
static void ground_color(double share, double* rgb) {
  static const double slow[3] = {246, 232, 200}, fast[3] = {120, 122, 125};
  for (int i = 0; i < 3; ++i) rgb[i] = slow[i] + share * (fast[i] - slow[i]);
}

/* `ground` and `pressure` are of all rows. */
int write_snapshot(const char* path, const Model* m, const float* ground, const float* pressure) {
  enum { widest = 1300 };
  const int each = (m->across - 1) / widest + 1;
  const int across = (m->across - 1) / each + 1, down = (m->down - 1) / each + 1;
  const double loud = 0.3 * largest(pressure, (size_t)m->across * (size_t)m->down);
  const double range = m->fastest > m->slowest ? m->fastest - m->slowest : 1;
  unsigned char* rgb = memory_for((size_t)across * (size_t)down, 3);
  for (int y = 0; y < down; ++y)
    for (int x = 0; x < across; ++x) {
      size_t cell = (size_t)y * (size_t)each * (size_t)m->across + (size_t)(x * each);
      double below[3];
      ground_color((ground[cell] - m->slowest) / range, below);
      color(below, pressure[cell] / loud, rgb + 3 * ((size_t)y * (size_t)across + (size_t)x));
    }
  int bad = png_write(path, rgb, across, down);
  free(rgb);
  return bad;
}

/* Echoes are faint: later is shown louder, as the square of time. */
int write_seismogram(const char* path, const Record* record, const float* traces) {
  static const double paper[3] = {250, 248, 242};
  const size_t count = (size_t)record->samples * (size_t)record->receivers;
  float* louder = memory_for(count, sizeof *louder);
  unsigned char* rgb = memory_for(count, 3);
  for (size_t i = 0; i < count; ++i) {
    float time = (float)(i / (size_t)record->receivers);
    louder[i] = traces[i] * time * time;
  }
  const double loud = 0.1 * largest(louder, count);
  for (size_t i = 0; i < count; ++i) color(paper, louder[i] / loud, rgb + 3 * i);
  int bad = png_write(path, rgb, record->receivers, record->samples);
  free(rgb);
  free(louder);
  return bad;
}
