/* A shot: all steps, by all threads of a rank in one parallel region, each on a slab of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "seismic.h"

enum { most_receivers = 1200, most_samples = 800 };

/* What the threads of a rank share. */
typedef struct {
  const Team* team;
  const Model* model;
  const Survey* survey;
  int steps;
  Record* record;
  uint64_t* fingerprints; /* one a thread */
} Shot;

static void show_progress(int done, int steps, double seconds) {
  int same_line = isatty(STDOUT_FILENO);
  printf("%s%3d %% done after %.3f s%s", same_line ? "\r" : "", (int)(100LL * done / steps),
         seconds, same_line && done < steps ? "" : "\n");
  fflush(stdout);
}

/* What the receivers hear after a step, when they are in my slab. */
static void listen(const Survey* s, const Slab* slab, int step, Record* record) {
  int y = s->receiver_y - slab->first;
  if (y < 0 || y >= slab->rows) return;
  const double* row = pressure_row(slab, y);
  if (step <= record->heard) record->waveform[step - 1] = row[s->receiver_x];
  if ((step - 1) % record->each_step) return;
  float* traces = record->traces + (size_t)((step - 1) / record->each_step * record->receivers);
  for (int i = 0; i < record->receivers; ++i) traces[i] = (float)row[i * record->each_cell];
}

/* A number that depends on every bit of every cell but not on who holds it. */
static uint64_t fingerprint(const Slab* slab, int across) {
  uint64_t sum = 0;
  for (int y = 0; y < slab->rows; ++y)
    for (int x = 0; x < across; ++x) {
      uint64_t place = (uint64_t)(slab->first + y) * (uint64_t)across + (uint64_t)x + 1, bits;
      memcpy(&bits, pressure_row(slab, y) + x, sizeof bits);
      bits = (bits ^ place * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
      sum += bits ^ bits >> 29;
    }
  return sum;
}

static void keep_pressure(const Shot* shot, const Slab* slab) {
  int across = shot->model->across, first, count;
  rows_of(shot->model->down, shot->team->ranks, shot->team->rank, &first, &count);
  for (int y = 0; y < slab->rows; ++y) {
    float* row = shot->record->pressure + (size_t)(slab->first - first + y) * (size_t)across;
    for (int x = 0; x < across; ++x) row[x] = (float)pressure_row(slab, y)[x];
  }
}

/* The work of one thread from the first to the last step. */
static void work(void* shared, int thread) {
  const Shot* shot = shared;
  const int steps = shot->steps;
  const double timestep = shot->survey->timestep;
  double start = 0;
  if (threads_at_work() != shot->team->threads) stop("there are fewer threads than asked for");
  Slab slab = new_slab(shot->team, thread, shot->model, shot->survey);
  BARRIER_OF_THREADS
  if (thread == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
  }
  for (int step = 1; step <= steps; ++step) {
    exchange_edges(shot->team, thread, step, &slab);
    advance(&slab, shot->model, shot->survey, (step - 1) * timestep);
    listen(shot->survey, &slab, step, shot->record);
    if (thread == 0 && shot->team->rank == 0 && 10LL * step / steps != 10LL * (step - 1) / steps)
      show_progress(step, steps, MPI_Wtime() - start);
  }
  BARRIER_OF_THREADS
  if (thread == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    shot->record->seconds = MPI_Wtime() - start;
  }
  shot->fingerprints[thread] = fingerprint(&slab, shot->model->across);
  keep_pressure(shot, &slab);
  free_slab(&slab);
}

static Record new_record(const Team* team, const Model* m, int steps, int heard) {
  int first, rows;
  rows_of(m->down, team->ranks, team->rank, &first, &rows);
  Record r = {.heard = heard,
              .each_cell = (m->across - 1) / most_receivers + 1,
              .each_step = (steps - 1) / most_samples + 1};
  r.receivers = (m->across - 1) / r.each_cell + 1;
  r.samples = (steps - 1) / r.each_step + 1;
  r.traces = memory_for((size_t)r.receivers * (size_t)r.samples, sizeof *r.traces);
  r.waveform = memory_for((size_t)heard, sizeof *r.waveform);
  r.pressure = memory_for((size_t)m->across * (size_t)rows, sizeof *r.pressure);
  return r;
}

void free_record(Record* r) {
  free(r->traces);
  free(r->waveform);
  free(r->pressure);
}

Record shoot(const Team* team, const Model* model, const Survey* survey, int steps, int heard) {
  Record record = new_record(team, model, steps, heard);
  uint64_t* prints = memory_for((size_t)team->threads, sizeof *prints);
  uint64_t mine = 0;
  Shot shot = {team, model, survey, steps, &record, prints};
  run_threads(team->threads, work, &shot);
  for (int thread = 0; thread < team->threads; ++thread) mine += prints[thread];
  MPI_Allreduce(&mine, &record.fingerprint, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  free(prints);
  return record;
}
