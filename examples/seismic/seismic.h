/* What the files of the seismic program share. Lengths are meters, times seconds. */
#ifndef EXAMPLES_SEISMIC_SEISMIC_H
#define EXAMPLES_SEISMIC_SEISMIC_H

#include <stddef.h>
#include <stdint.h>

#include "ranks.h"

enum { path_bytes = 1024, least_cells = 32, most_cells = 30000 };

typedef enum { case_layered, case_uniform, cases } Case;
typedef enum { read_each, read_one, read_collective, readings } Reading;

typedef struct {
  Case which;
  Reading reading;
  int cells, steps; /* across the model; what is asked for */
  char model[path_bytes], make_model[path_bytes], picture[path_bytes], seismogram[path_bytes];
} Options;

/* The speed of sound in the ground, row by row from the surface down. A rank holds at least the
 * rows that it works on. */
typedef struct {
  int across, down; /* cells of the whole ground */
  int first, rows;  /* that this rank holds */
  double spacing, slowest, fastest;
  float* speed; /* of the rows that it holds */
} Model;

/* Who shoots, who listens, and how time passes. */
typedef struct {
  int source_x, source_y, receiver_x, receiver_y; /* the receivers' row, and one of them */
  double frequency, delay;                        /* of the Ricker wavelet's peak */
  double timestep;
  double *taper_x, *taper_y; /* what the sponge leaves of the waves each step */
} Survey;

/* Some rows of the ground, which one thread alone works on, in a frame two cells wide. */
typedef struct {
  int first, rows;
  size_t pitch;         /* doubles from one row to the next */
  double *now, *before; /* pressure */
  double* factor;       /* (speed * timestep / spacing)^2 */
} Slab;

/* The threads of a rank and the buffers through which edges of slabs go. */
typedef struct {
  int rank, ranks, threads;
  size_t edge;    /* doubles: two rows */
  double* out[2]; /* of each thread its upper and its lower edge; in turn, so that one can be
                     written while the other may still be read */
  double* in;     /* from the rank above and the rank below */
} Team;

/* What a shot leaves. */
typedef struct {
  int receivers, samples;   /* of the seismogram */
  int each_cell, each_step; /* a receiver for this many cells, a sample for this many steps */
  float* traces;            /* a row of all receivers for each sample */
  float* pressure;          /* of my rank's rows at the end */
  int heard;                /* steps of the waveform */
  double* waveform;         /* at one receiver after each step */
  uint64_t fingerprint;     /* of the pressure at the end, on all ranks together */
  double seconds;           /* that the steps took */
} Record;

void stop(const char* why); /* Ends all ranks. For what only one rank can notice. */
void* memory_for(size_t count, size_t bytes);
/* All ranks call it with what is wrong at theirs, or NULL. One of them says it. */
int anything_wrong(const char* about, const char* why);

/* options.c; 0 to go on, -1 to end in peace, otherwise the exit code. The same on all ranks. */
extern const char* const case_names[cases];
int read_options(int count, char** words, int rank, Options* options);

/* model.c */
Model make_model(Case which, int cells, int worker, int workers); /* a worker's rows of it */
void find_slowest_and_fastest(Model* model);                      /* All ranks call it. */
const float* speeds_of_row(const Model* model, int y);

/* model_file.c; NULL or what is wrong */
const char* write_model(const char* path, const Model* model);

/* reading.c; on all ranks, 0 or 1 when that is said already */
int read_model_by(Reading reading, const char* path, int rank, int ranks, Model* model);

/* survey.c */
Survey plan_survey(Case which, const Model* model);
void free_survey(Survey* survey);
double ricker(const Survey* survey, double time);
int steps_of_waveform(const Survey* survey, const Model* model);
double waveform_error(const Survey* survey, const Model* model, const double* pressure, int steps);

/* slab.c */
void rows_of(int down, int workers, int worker, int* first, int* count);
Team new_team(int rank, int ranks, int threads, int across);
void free_team(Team* team);
Slab new_slab(const Team* team, int thread, const Model* model, const Survey* survey);
void free_slab(Slab* slab);
const double* pressure_row(const Slab* slab, int y);
void exchange_edges(const Team* team, int thread, int step, Slab* slab);
void advance(Slab* slab, const Model* model, const Survey* survey, double time);

/* shot.c */
Record shoot(const Team* team, const Model* model, const Survey* survey, int steps, int heard);
void free_record(Record* record);

/* picture.c; 0 when all of it is on disk */
int can_be_written(const char* path);
int write_snapshot(const char* path, const Model* model, const float* ground,
                   const float* pressure);
int write_seismogram(const char* path, const Record* record, const float* traces);

#endif
