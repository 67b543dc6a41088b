/* Weather on a rotating plane that closes on itself: the shallow-water equations in two dimensions.
 *
 * The plane is cut into blocks, one a rank; the threads of a rank share its rows. Rank 0 makes the
 * first state and broadcasts it. Three times a step each rank exchanges the edges of its block with
 * its neighbors by nonblocking messages, completed one by one. Ten times a run all agree on whether
 * mass is conserved. The result does not depend on how many ranks and threads computed it, to the
 * last bit. As serial program: cc -O3 -DWITHOUT_MPI *.c -lm; with OpenMP threads: -fopenmp. */
#include "weather.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double mass_tolerance = 1e-10; /* relative */

void stop(const char* why) {
  fprintf(stderr, "weather: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void* memory_for(size_t count, size_t bytes) {
  void* memory = calloc(count, bytes);
  if (!memory) stop("not enough memory");
  return memory;
}

/* In units of a cell times a meter of depth. */
static double mass(const Block* b, const double* state) {
  double mine = 0, all = 0;
  for (int j = 1; j <= b->height; ++j)
    for (int i = 1; i <= b->width; ++i) mine += state[(size_t)j * b->pitch + (size_t)i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, b->ranks);
  return all;
}

/* A number that depends on every bit of every cell but not on who holds it. */
static uint64_t fingerprint(const Block* b, const double* state) {
  uint64_t mine = 0, all = 0;
  for (int field = 0; field < fields; ++field)
    for (int j = 1; j <= b->height; ++j)
      for (int i = 1; i <= b->width; ++i) {
        uint64_t row = (uint64_t)(field * b->cells + b->first_y + j), bits;
        uint64_t place = row * (uint64_t)(b->cells + 1) + (uint64_t)(b->first_x + i);
        memcpy(&bits, &state[(size_t)field * b->plane + (size_t)j * b->pitch + (size_t)i],
               sizeof bits);
        bits = (bits ^ place * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
        mine += bits ^ bits >> 29;
      }
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, b->ranks);
  return all;
}

/* How far the surface is from the exact one, relative to how far that is from flat (both root mean
 * squares). */
static double surface_error(const Options* options, const Block* b, const Plane* p,
                            const double* state) {
  double mine[2] = {0, 0}, all[2];
  for (int j = 1; j <= b->height; ++j)
    for (int i = 1; i <= b->width; ++i) {
      double x = (b->first_x + i - 0.5) * p->cell, y = (b->first_y + j - 0.5) * p->cell;
      double exact = air_at(options->which, p, x, y, options->steps * p->timestep).depth;
      double error = state[(size_t)j * b->pitch + (size_t)i] - exact;
      mine[0] += error * error;
      mine[1] += (exact - p->depth) * (exact - p->depth);
    }
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, b->ranks);
  return sqrt(all[0] / all[1]);
}

static void show_progress(int done, int steps, double seconds, double error) {
  int same_line = isatty(STDOUT_FILENO);
  printf("%s%3d %% done after %.3f s, mass off by %.1e%s", same_line ? "\r" : "",
         (int)(100LL * done / steps), seconds, error, same_line && done < steps ? "" : "\n");
  fflush(stdout);
}

/* All steps; returns the seconds they took and how far mass was off at worst. */
static double simulate(const Options* options, const Block* b, const Plane* p, Weather* weather,
                       double* worst) {
  double before = mass(b, weather->state);
  *worst = 0;
  MPI_Barrier(b->ranks);
  double start = MPI_Wtime();
  for (int done = 1; done <= options->steps; ++done) {
    step(weather, b, p);
    if (10LL * done / options->steps == 10LL * (done - 1) / options->steps) continue;
    double error = fabs(mass(b, weather->state) - before) / before;
    if (!(error <= *worst)) *worst = error; /* also when it is not a number */
    if (b->rank == 0) show_progress(done, options->steps, MPI_Wtime() - start, error);
  }
  MPI_Barrier(b->ranks);
  return MPI_Wtime() - start;
}

/* Returns the exit code. */
static int run(const Options* options, const Block* b) {
  Plane plane = plane_of(options->which, options->cells);
  Weather weather = new_weather(b);
  spread_first_state(options->which, &plane, b, weather.state);
  double worst, seconds = simulate(options, b, &plane, &weather, &worst);
  double error = surface_error(options, b, &plane, weather.state);
  unsigned long long print = fingerprint(b, weather.state);
  int conserved = worst <= mass_tolerance;
  if (*options->picture) write_picture(options->picture, b, &plane, weather.state);
  if (b->rank == 0) {
    printf("case: %s, %.2f h in %d steps, %d x %d cells\n", case_names[options->which],
           options->steps * plane.timestep / 3600, options->steps, b->cells, b->cells);
    printf("ranks: %d as %d x %d blocks, threads of each: %d\n", b->count, b->columns, b->rows,
           threads_of_rank());
    printf("fingerprint: %016llx\n", print);
    printf("mass: %s (off by %.1e, allowed %.0e)\n", conserved ? "conserved" : "NOT conserved",
           worst, mass_tolerance);
    if (options->which != case_storm) printf("error: %.3e\n", error);
    printf("time: %.3f s\n", seconds);
  }
  free_weather(&weather);
  return conserved ? 0 : 1;
}

/* What can be refused before the first step; returns the exit code. */
static int check(const Options* options, const Block* b, int divided) {
  int problem = 0;
  if (divided == 0 && b->rank == 0 && *options->picture)
    problem = picture_can_be_written(options->picture) ? 0 : 1;
  if (divided == 0) MPI_Bcast(&problem, 1, MPI_INT, 0, b->ranks);
  if (b->rank != 0) return divided ? 2 : problem;
  if (divided)
    fprintf(stderr, "weather: %d x %d cells are too few for %d x %d blocks of ranks\n",
            options->cells, options->cells, b->columns, b->rows);
  if (problem) fprintf(stderr, "weather: %s cannot be written\n", options->picture);
  return divided ? 2 : problem;
}

int main(int count, char** words) {
  Options options;
  Block block = {0};
  int provided, rank;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int problem = read_options(count, words, rank, &options);
  if (!problem) {
    int divided = divide(&block, options.cells);
    problem = check(&options, &block, divided);
    if (!problem) problem = run(&options, &block);
    if (!divided) free_block(&block);
  }
  MPI_Finalize();
  return problem > 0 ? problem : 0;
}
