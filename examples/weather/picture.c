/* The weather as a picture: vorticity in colors, red for cyclones, on the lit surface. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../png.h"
#include "weather.h"

int picture_can_be_written(const char* path) {
  FILE* file = fopen(path, "ab"); /* leaves what is there */
  return file && fclose(file) == 0;
}

/* Vorticity in units of the Coriolis parameter, averaged over the four corners of a cell, and
 * depth. The frame of the state must be valid. */
static void sample(const Block* b, const Plane* p, const double* state, float* values) {
  const size_t pitch = b->pitch, cells = (size_t)b->width * (size_t)b->height;
  for (int j = 0; j < b->height; ++j)
    for (int i = 0; i < b->width; ++i) {
      const double* h = state + (size_t)(j + 1) * pitch + (size_t)i + 1;
      const double *u = h + b->plane, *v = u + b->plane;
      double turn =
          0.25 * ((v[1] + v[pitch + 1]) - (v[-1] + v[pitch - 1]) - (u[pitch] + u[pitch + 1]) +
                  (u[-(ptrdiff_t)pitch] + u[1 - (ptrdiff_t)pitch]));
      size_t here = (size_t)j * (size_t)b->width + (size_t)i;
      values[here] = (float)(turn / (p->cell * p->coriolis));
      values[cells + here] = (float)*h;
    }
}

typedef struct {
  int across, each; /* pixels; one pixel for this many cells across */
  float *turn, *depth;
} Image;

/* The block of a rank into the image. */
static void place_block(const Block* b, int rank, const float* values, Image* image) {
  int at[2] = {0, 0}, first_x, first_y, width, height;
  MPI_Cart_coords(b->ranks, rank, 2, at);
  first_and_count(b->cells, b->rows, at[0], &first_y, &height);
  first_and_count(b->cells, b->columns, at[1], &first_x, &width);
  const size_t cells = (size_t)width * (size_t)height;
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      int x = first_x + i, y = first_y + j;
      if (x % image->each || y % image->each) continue;
      size_t pixel = (size_t)(y / image->each) * (size_t)image->across + (size_t)(x / image->each);
      size_t here = (size_t)j * (size_t)width + (size_t)i;
      image->turn[pixel] = values[here];
      image->depth[pixel] = values[cells + here];
    }
}

/* From blue (clockwise) over white to red; `turn` is in units of the Coriolis parameter. */
static void color(double turn, double light, unsigned char* rgb) {
  static const double stops[][3] = {{10, 30, 90},    {30, 90, 165},   {80, 165, 210},
                                    {185, 220, 235}, {243, 243, 238}, {253, 215, 140},
                                    {246, 135, 62},  {205, 40, 42},   {95, 0, 42}};
  enum { last = sizeof stops / sizeof *stops - 1 };
  const double faint = 0.3, strongest = 15;
  double at = 0.5 * last * (1 + asinh(turn / faint) / asinh(strongest / faint));
  at = fmin(fmax(at, 0), last);
  int stop = at < last ? (int)at : last - 1;
  for (int i = 0; i < 3; ++i) {
    double value = stops[stop][i] + (at - stop) * (stops[stop + 1][i] - stops[stop][i]);
    rgb[i] = (unsigned char)fmin(value * (1 + 0.25 * light), 255);
  }
}

/* North is up; light comes from the northwest. */
static void paint(const Plane* p, const Image* image, unsigned char* rgb) {
  const int across = image->across;
  const double gentle = 6e-5; /* slope that is clearly seen */
  for (int y = 0; y < across; ++y)
    for (int x = 0; x < across; ++x) {
      const float* row = image->depth + (size_t)y * (size_t)across;
      int east = (x + 1) % across, north = (y + 1) % across;
      double rise = image->depth[(size_t)north * (size_t)across + (size_t)x] - row[east];
      double slope = -rise / (p->cell * image->each);
      double light = slope / sqrt(slope * slope + gentle * gentle);
      color(image->turn[(size_t)y * (size_t)across + (size_t)x], light,
            rgb + 3 * ((size_t)(across - 1 - y) * (size_t)across + (size_t)x));
    }
}

/* All blocks to rank 0, and there onto disk. */
void write_picture(const char* path, const Block* b, const Plane* p, const double* state) {
  enum { widest = 1200, tag = 0 };
  size_t most = 2 * (size_t)(b->width + 1) * (size_t)(b->height + 1); /* of any rank */
  float* values = memory_for(most, sizeof *values);
  sample(b, p, state, values);
  if (b->rank != 0) {
    MPI_Send(values, 2 * b->width * b->height, MPI_FLOAT, 0, tag, b->ranks);
    free(values);
    return;
  }
  Image image = {.each = (b->cells + widest - 1) / widest};
  image.across = (b->cells + image.each - 1) / image.each;
  const size_t pixels = (size_t)image.across * (size_t)image.across;
  image.turn = memory_for(2 * pixels, sizeof(float));
  image.depth = image.turn + pixels;
  unsigned char* rgb = memory_for(pixels, 3);
  place_block(b, 0, values, &image);
  for (int rank = 1; rank < b->count; ++rank) {
    MPI_Recv(values, (int)most, MPI_FLOAT, rank, tag, b->ranks, MPI_STATUS_IGNORE);
    place_block(b, rank, values, &image);
  }
  paint(p, &image, rgb);
  if (png_write(path, rgb, image.across, image.across) != 0) stop("the picture cannot be written");
  free(rgb);
  free(image.turn);
  free(values);
}
