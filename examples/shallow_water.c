/* Waves in a basin: the shallow-water equations in two dimensions on all ranks.
 *
 * The basin is cut into equal blocks, one a rank. Every step each rank exchanges the cells at its
 * four edges with its neighbors (nonblocking, columns as a vector type), agrees with all on the
 * time step (allreduce) and moves its cells on (two-step Lax-Wendroff). Water must not get lost:
 * rank 0 checks the volume, prints how far the run is, and writes the final surface as a picture.
 *
 * The result does not depend on how many ranks computed it, to the last bit, as long as the basin
 * is the same; the fingerprint printed at the end shows that. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "png.h"

static const double gravity = 9.81, cell_meters = 10.0, depth_meters = 10.0;
static const double courant = 0.4;            /* share of the largest stable time step */
static const double volume_tolerance = 1e-10; /* relative */

typedef struct {
  double h, hu, hv; /* depth, and depth times velocity */
} Cell;
enum { doubles_per_cell = sizeof(Cell) / sizeof(double) };

typedef struct {
  int cells, steps; /* across the basin; what was asked for */
  char picture[1024];
} Wishes;

typedef struct {
  int rank, ranks;
  int columns, rows;          /* of blocks */
  int column, row;            /* of my block */
  int width, height;          /* of a block in cells, without its frame of neighbors' cells */
  MPI_Comm my_row, my_column; /* left and right neighbors, upper and lower ones */
  MPI_Datatype edge;          /* one column of cells */
  Cell *now, *next;
  Cell *across, *down; /* half-step states on the cells' faces */
} Basin;

static size_t at(const Basin* b, int x, int y) {
  return (size_t)y * (size_t)(b->width + 2) + (size_t)x;
}

static void stop(const char* why) {
  fprintf(stderr, "shallow_water: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void* memory_for(size_t count, size_t bytes) {
  void* memory = calloc(count, bytes);
  if (!memory) stop("not enough memory");
  return memory;
}

/* Still water with three humps. */
static double first_depth(double x, double y) {
  static const double hump[3][4] = {
      {0.3, 0.35, 0.05, 4.0}, {0.7, 0.6, 0.04, 3.0}, {0.45, 0.8, 0.03, 2.5}};
  double depth = depth_meters;
  for (int i = 0; i < 3; ++i) {
    double dx = x - hump[i][0], dy = y - hump[i][1], size = hump[i][2];
    depth += hump[i][3] * exp(-(dx * dx + dy * dy) / (2 * size * size));
  }
  return depth;
}

/* Blocks as square as the number of ranks allows. */
static void divide(Basin* b, int cells) {
  for (int rows = 1; rows * rows <= b->ranks; ++rows)
    if (b->ranks % rows == 0) b->rows = rows;
  b->columns = b->ranks / b->rows;
  b->column = b->rank % b->columns;
  b->row = b->rank / b->columns;
  b->width = (cells + b->columns - 1) / b->columns;
  b->height = (cells + b->rows - 1) / b->rows;
  MPI_Comm_split(MPI_COMM_WORLD, b->row, b->column, &b->my_row);
  MPI_Comm_split(MPI_COMM_WORLD, b->column, b->row, &b->my_column);
  MPI_Type_vector(b->height, doubles_per_cell, (b->width + 2) * doubles_per_cell, MPI_DOUBLE,
                  &b->edge);
  MPI_Type_commit(&b->edge);
}

static void fill(Basin* b) {
  size_t count = (size_t)(b->width + 2) * (size_t)(b->height + 2);
  b->now = memory_for(count, sizeof(Cell));
  b->next = memory_for(count, sizeof(Cell));
  b->across = memory_for(count, sizeof(Cell));
  b->down = memory_for(count, sizeof(Cell));
  for (int y = 1; y <= b->height; ++y)
    for (int x = 1; x <= b->width; ++x) {
      double px = (b->column * b->width + x - 0.5) / (b->columns * b->width);
      double py = (b->row * b->height + y - 0.5) / (b->rows * b->height);
      b->now[at(b, x, y)].h = first_depth(px, py);
    }
}

static int neighbor(int mine, int step, int count) {
  int other = mine + step;
  return other < 0 || other >= count ? MPI_PROC_NULL : other;
}

/* Neighbors' edges into my frame. A wall mirrors the water in front of it. */
static void exchange(Basin* b) {
  enum { left, right, up, down, sides };
  int from[sides] = {neighbor(b->column, -1, b->columns), neighbor(b->column, +1, b->columns),
                     neighbor(b->row, -1, b->rows), neighbor(b->row, +1, b->rows)};
  int line = b->width * doubles_per_cell;
  MPI_Request requests[2 * sides];
  Cell* c = b->now;
  MPI_Irecv(&c[at(b, 0, 1)], 1, b->edge, from[left], right, b->my_row, &requests[0]);
  MPI_Irecv(&c[at(b, b->width + 1, 1)], 1, b->edge, from[right], left, b->my_row, &requests[1]);
  MPI_Irecv(&c[at(b, 1, 0)], line, MPI_DOUBLE, from[up], down, b->my_column, &requests[2]);
  MPI_Irecv(&c[at(b, 1, b->height + 1)], line, MPI_DOUBLE, from[down], up, b->my_column,
            &requests[3]);
  MPI_Isend(&c[at(b, 1, 1)], 1, b->edge, from[left], left, b->my_row, &requests[4]);
  MPI_Isend(&c[at(b, b->width, 1)], 1, b->edge, from[right], right, b->my_row, &requests[5]);
  MPI_Isend(&c[at(b, 1, 1)], line, MPI_DOUBLE, from[up], up, b->my_column, &requests[6]);
  MPI_Isend(&c[at(b, 1, b->height)], line, MPI_DOUBLE, from[down], down, b->my_column,
            &requests[7]);
  MPI_Waitall(2 * sides, requests, MPI_STATUSES_IGNORE);
  for (int y = 1; y <= b->height; ++y) {
    Cell west = c[at(b, 1, y)], east = c[at(b, b->width, y)];
    if (from[left] == MPI_PROC_NULL) c[at(b, 0, y)] = (Cell){west.h, -west.hu, west.hv};
    if (from[right] == MPI_PROC_NULL) c[at(b, b->width + 1, y)] = (Cell){east.h, -east.hu, east.hv};
  }
  for (int x = 1; x <= b->width; ++x) {
    Cell north = c[at(b, x, 1)], south = c[at(b, x, b->height)];
    if (from[up] == MPI_PROC_NULL) c[at(b, x, 0)] = (Cell){north.h, north.hu, -north.hv};
    if (from[down] == MPI_PROC_NULL)
      c[at(b, x, b->height + 1)] = (Cell){south.h, south.hu, -south.hv};
  }
}

static Cell flux_across(Cell c) {
  double u = c.hu / c.h;
  return (Cell){c.hu, c.hu * u + 0.5 * gravity * c.h * c.h, c.hv * u};
}
static Cell flux_down(Cell c) {
  double v = c.hv / c.h;
  return (Cell){c.hv, c.hu * v, c.hv * v + 0.5 * gravity * c.h * c.h};
}
/* a - k (to - from) */
static Cell moved(Cell a, double k, Cell to, Cell from) {
  return (Cell){a.h - k * (to.h - from.h), a.hu - k * (to.hu - from.hu),
                a.hv - k * (to.hv - from.hv)};
}
static Cell middle(Cell a, Cell b) {
  return (Cell){0.5 * (a.h + b.h), 0.5 * (a.hu + b.hu), 0.5 * (a.hv + b.hv)};
}

static void advance(Basin* b, double seconds) {
  double k = seconds / cell_meters;
  const Cell* c = b->now;
  for (int y = 1; y <= b->height; ++y)
    for (int x = 0; x <= b->width; ++x) {
      Cell west = c[at(b, x, y)], east = c[at(b, x + 1, y)];
      Cell half = moved(middle(west, east), 0.5 * k, flux_across(east), flux_across(west));
      b->across[at(b, x, y)] = flux_across(half);
    }
  for (int y = 0; y <= b->height; ++y)
    for (int x = 1; x <= b->width; ++x) {
      Cell north = c[at(b, x, y)], south = c[at(b, x, y + 1)];
      Cell half = moved(middle(north, south), 0.5 * k, flux_down(south), flux_down(north));
      b->down[at(b, x, y)] = flux_down(half);
    }
  for (int y = 1; y <= b->height; ++y)
    for (int x = 1; x <= b->width; ++x) {
      Cell once = moved(c[at(b, x, y)], k, b->across[at(b, x, y)], b->across[at(b, x - 1, y)]);
      b->next[at(b, x, y)] = moved(once, k, b->down[at(b, x, y)], b->down[at(b, x, y - 1)]);
    }
  Cell* old = b->now;
  b->now = b->next;
  b->next = old;
}

/* The largest time step at which no wave crosses more than `courant` cells, the same on all ranks.
 */
static double time_step(const Basin* b) {
  double mine = 0, fastest = 0;
  for (int y = 1; y <= b->height; ++y)
    for (int x = 1; x <= b->width; ++x) {
      Cell c = b->now[at(b, x, y)];
      if (!(c.h > 0)) stop("the water has run dry or the numbers have run wild");
      double speed = fmax(fabs(c.hu), fabs(c.hv)) / c.h + sqrt(gravity * c.h);
      mine = fmax(mine, speed);
    }
  MPI_Allreduce(&mine, &fastest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return courant * cell_meters / fastest;
}

/* The water in the basin in cubic metres; on rank 0. */
static double volume(const Basin* b) {
  double mine = 0, all = 0;
  for (int y = 1; y <= b->height; ++y)
    for (int x = 1; x <= b->width; ++x) mine += b->now[at(b, x, y)].h;
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return all * cell_meters * cell_meters;
}

/* A number that depends on every bit of every cell but not on who holds it; on rank 0. */
static uint64_t fingerprint(const Basin* b) {
  uint64_t mine = 0, all = 0;
  for (int y = 1; y <= b->height; ++y)
    for (int x = 1; x <= b->width; ++x) {
      uint64_t place =
          (uint64_t)(b->row * b->height + y) * 1000003u + (uint64_t)(b->column * b->width + x);
      uint64_t bits;
      memcpy(&bits, &b->now[at(b, x, y)].h, sizeof bits);
      bits = (bits ^ place * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
      mine += bits ^ bits >> 29;
    }
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return all;
}

/* Blue water, lit from the upper left. */
static void color(unsigned char* pixel, double h, double slope) {
  double light = fmin(fmax(0.5 + 4.0 * slope, 0), 1),
         high = fmin(fmax((h - depth_meters) / 2 + 0.4, 0), 1);
  pixel[0] = (unsigned char)(255 * (0.10 + 0.55 * high * light + 0.20 * light));
  pixel[1] = (unsigned char)(255 * (0.20 + 0.45 * light + 0.25 * high * light));
  pixel[2] = (unsigned char)(255 * (0.40 + 0.35 * light + 0.20 * high));
}

/* All blocks to rank 0, and there onto disk. */
static void write_picture(const Basin* b, const char* path) {
  int cells = b->width * b->height, width = b->columns * b->width, height = b->rows * b->height;
  float *mine = memory_for((size_t)cells, sizeof *mine), *all = NULL;
  for (int y = 0; y < b->height; ++y)
    for (int x = 0; x < b->width; ++x)
      mine[y * b->width + x] = (float)b->now[at(b, x + 1, y + 1)].h;
  if (b->rank == 0) all = memory_for((size_t)cells * (size_t)b->ranks, sizeof *all);
  MPI_Gather(mine, cells, MPI_FLOAT, all, cells, MPI_FLOAT, 0, MPI_COMM_WORLD);
  if (b->rank == 0) {
    float* surface = memory_for((size_t)width * (size_t)height, sizeof *surface);
    unsigned char* rgb = memory_for((size_t)width * (size_t)height, 3);
    for (int rank = 0; rank < b->ranks; ++rank)
      for (int y = 0; y < b->height; ++y)
        memcpy(&surface[(size_t)(rank / b->columns * b->height + y) * (size_t)width +
                        (size_t)(rank % b->columns * b->width)],
               &all[(size_t)rank * (size_t)cells + (size_t)y * (size_t)b->width],
               (size_t)b->width * sizeof *surface);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        size_t here = (size_t)y * (size_t)width + (size_t)x;
        double before = surface[here - (x > 0 ? 1 : 0) - (y > 0 ? (size_t)width : 0)];
        color(rgb + 3 * here, surface[here], surface[here] - before);
      }
    if (png_write(path, rgb, width, height) != 0) stop("the picture cannot be written");
    printf("picture: %s (%d x %d)\n", path, width, height);
    free(rgb);
    free(surface);
  }
  free(all);
  free(mine);
}

static void show_progress(int step, int steps, double error, double per_step) {
  const int length = 30;
  int done = step * length / steps;
  char bar[31];
  for (int i = 0; i < length; ++i) bar[i] = i < done ? '=' : ' ';
  bar[length] = 0;
  int terminal = isatty(STDOUT_FILENO);
  printf("%s[%s] step %d of %d, volume off by %.1e, %.3f ms a step%s", terminal ? "\r" : "", bar,
         step, steps, error, per_step * 1e3, terminal && step < steps ? "" : "\n");
  fflush(stdout);
}

/* Returns 0 when the volume held. */
static int simulate(Basin* b, const Wishes* wishes) {
  double before = volume(b), error = 0, start = MPI_Wtime(), simulated = 0;
  int interval = wishes->steps / 10 > 0 ? wishes->steps / 10 : 1;
  for (int step = 1; step <= wishes->steps; ++step) {
    double seconds = time_step(b);
    exchange(b);
    advance(b, seconds);
    simulated += seconds;
    if (step % interval && step != wishes->steps) continue;
    double now = volume(b);
    error = b->rank == 0 ? fabs(now - before) / before : 0;
    if (b->rank == 0) show_progress(step, wishes->steps, error, (MPI_Wtime() - start) / step);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double took = MPI_Wtime() - start;
  uint64_t print = fingerprint(b);
  if (b->rank == 0) {
    printf(
        "%d ranks as %d x %d blocks of %d x %d cells, %.0f s of waves in %.2f s: %.3f ms a step\n",
        b->ranks, b->columns, b->rows, b->width, b->height, simulated, took,
        took / wishes->steps * 1e3);
    printf("fingerprint: %016llx\n", (unsigned long long)print);
    printf("volume: %s (off by %.1e, allowed %.0e)\n",
           error <= volume_tolerance ? "conserved" : "NOT conserved", error, volume_tolerance);
  }
  int bad = !(error <= volume_tolerance);
  MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return bad;
}

/* Rank 0 reads the command line; all learn it. Returns 0 to go on. */
static int read_wishes(int count, char** words, int rank, Wishes* wishes) {
  int problem = 0;
  *wishes = (Wishes){600, 800, "shallow_water.png"};
  for (int i = 1; rank == 0 && i < count && !problem; i += 2) {
    const char* value = i + 1 < count ? words[i + 1] : "";
    if (!strcmp(words[i], "--cells"))
      problem = (wishes->cells = atoi(value)) < 2 || wishes->cells > 20000;
    else if (!strcmp(words[i], "--steps"))
      problem = (wishes->steps = atoi(value)) < 1;
    else if (!strcmp(words[i], "--picture") && *value)
      problem = snprintf(wishes->picture, sizeof wishes->picture, "%s", value) >=
                (int)sizeof wishes->picture;
    else
      problem = 1;
    if (problem)
      fprintf(!strcmp(words[i], "--help") ? stdout : stderr,
              "usage: mpiexec -n RANKS shallow_water [--cells ACROSS (600)] [--steps N (800)] "
              "[--picture FILE (shallow_water.png)]\n");
    if (problem && !strcmp(words[i], "--help")) problem = -1;
  }
  MPI_Bcast(&problem, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(wishes, sizeof *wishes, MPI_BYTE, 0, MPI_COMM_WORLD);
  return problem;
}

int main(int count, char** words) {
  Basin basin = {0};
  Wishes wishes;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &basin.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &basin.ranks);
  int problem = read_wishes(count, words, basin.rank, &wishes), bad = 0;
  if (!problem) {
    divide(&basin, wishes.cells);
    fill(&basin);
    bad = simulate(&basin, &wishes);
    write_picture(&basin, wishes.picture);
    MPI_Type_free(&basin.edge);
    MPI_Comm_free(&basin.my_row);
    MPI_Comm_free(&basin.my_column);
    free(basin.now);
    free(basin.next);
    free(basin.across);
    free(basin.down);
  }
  MPI_Finalize();
  return problem > 0 ? 2 : bad;
}
