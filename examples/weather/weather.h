/* What the files of the weather program share. */
#ifndef EXAMPLES_WEATHER_WEATHER_H
#define EXAMPLES_WEATHER_WEATHER_H

#include <stddef.h>

#include "ranks.h"

enum { path_bytes = 1024 };

typedef enum { case_storm, case_geostrophic, case_wave, cases } Case;

typedef struct {
  Case which;
  int cells, steps;         /* across the plane, which is square; what is asked for */
  char picture[path_bytes]; /* empty: none */
} Options;

/* The plane and the air (or water) on it, in meters and seconds. */
typedef struct {
  double side, depth;    /* of the plane; of the layer at rest */
  double coriolis;       /* the same everywhere: an f-plane */
  double fastest;        /* bound on wave speed plus wind */
  double viscosity;      /* of the winds; in the table of cases for a cell of one meter */
  double cell, timestep; /* follow from those and the number of cells */
} Plane;

/* The layer at one place. */
typedef struct {
  double depth, east, north; /* height of the surface; wind towards the east and the north */
} Air;

/* One edge of a block, in all fields at once: `count` pieces of `length` doubles. */
typedef struct {
  int count, length;
  size_t stride;
  MPI_Datatype type;
} Edge;

/* My block of the plane. It has a frame, one cell wide, of the neighbors' cells. */
typedef struct {
  MPI_Comm ranks; /* a torus of rows and columns */
  int rank, count, rows, columns;
  int west, east, south, north;        /* neighbors */
  int cells;                           /* across the whole plane */
  int first_x, first_y, width, height; /* of my cells */
  size_t pitch, plane;                 /* doubles from one row to the next, and of one field */
  Edge column, row;                    /* the latter with the frame's corners */
} Block;

enum { field_depth, field_east, field_north, fields };

/* Winds lie on the cells' western and southern faces (the C grid), vorticity on the corners. */
typedef struct {
  double *state, *stage;          /* fields one after another: now, and inside a step */
  double *flux_east, *flux_north; /* depth times wind */
  double* swirl;                  /* absolute vorticity over depth */
  double* energy;                 /* of a unit of mass: gravity times depth plus kinetic */
} Weather;

extern const double gravity;

/* Ends all ranks with one line. For what only one rank can notice. */
void stop(const char* why);
void* memory_for(size_t count, size_t bytes);

/* options.c; 0 to go on, -1 to end in peace, otherwise the exit code. The same on all ranks. */
extern const char* const case_names[cases];
int read_options(int count, char** words, int rank, Options* options);

/* block.c */
int divide(Block* block, int cells); /* -1: fewer cells than ranks in a direction */
void first_and_count(int cells, int parts, int part, int* first, int* count);
void exchange_frame(const Block* block, double* state);
void free_block(Block* block);

/* cases.c */
Plane plane_of(Case which, int cells);
Air air_at(Case which, const Plane* plane, double x, double y, double seconds);
void spread_first_state(Case which, const Plane* plane, const Block* block, double* state);

/* dynamics.c */
Weather new_weather(const Block* block);
void step(Weather* weather, const Block* block, const Plane* plane);
void free_weather(Weather* weather);

/* picture.c */
int picture_can_be_written(const char* path);
void write_picture(const char* path, const Block* block, const Plane* plane, const double* state);

#endif
