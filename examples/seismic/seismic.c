/* Seismic waves: the acoustic wave equation in two dimensions after a shot in the ground.
 *
 * Rows of the ground go in slabs to the ranks and on to their threads. Each thread keeps its slab
 * to itself from the first to the last step; edges go through buffers that the threads of a rank
 * share and by nonblocking messages from rank to rank. The ground can be read from a file: by all
 * ranks together, each only its rows, by one rank for all, or by each. The result does not depend
 * on how many ranks and threads computed it, to the last bit. As serial program: cc -O3
 * -DWITHOUT_MPI *.c -lm; with OpenMP threads: -fopenmp. */
#include "seismic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

void stop(const char* why) {
  fprintf(stderr, "seismic: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void* memory_for(size_t count, size_t bytes) {
  void* memory = calloc(count, bytes);
  if (!memory && count > 0) stop("not enough memory");
  return memory;
}

int anything_wrong(const char* about, const char* why) {
  int rank, ranks, mine, first;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  mine = why ? rank : ranks;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == rank) fprintf(stderr, "seismic: %s %s\n", about, why);
  return first < ranks;
}

/* MB that this rank has had at most. */
static double most_memory(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss * 1024 / 1e6 : 0;
}

/* From the file, with what it took; returns 0, or 1 when what is wrong is said already. */
static int read_and_tell(const Options* options, int rank, int ranks, Model* model) {
  double start = MPI_Wtime(), before = most_memory(), mine[2], most[2], all;
  if (read_model_by(options->reading, options->model, rank, ranks, model)) return 1;
  mine[0] = MPI_Wtime() - start;
  mine[1] = most_memory() - before;
  MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&mine[1], &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("reading: %.3f s\nmemory for it: %.1f MB in all ranks, %.1f MB in one\n", most[0], all,
           most[1]);
  return 0;
}

/* The ground from the file or made; returns the exit code. A file is written by one rank, which
 * makes the whole ground for it. */
static int get_model(const Options* options, int rank, int ranks, Model* model) {
  if (*options->model) {
    if (read_and_tell(options, rank, ranks, model)) return 1;
  } else if (*options->make_model) {
    *model = make_model(options->which, options->cells, 0, 1);
  } else {
    *model = make_model(options->which, options->cells, rank, ranks);
  }
  find_slowest_and_fastest(model);
  return 0;
}

/* What can be refused before the first step; returns the exit code. */
static int check(const Options* options, const Model* m, const Survey* s, int workers, int rank) {
  char why[200];
  int needed = options->which == case_uniform ? steps_of_waveform(s, m) : 0;
  if (m->down < 2 * workers) {
    snprintf(why, sizeof why, "are too few: every thread needs 2, and %d have %d", workers,
             m->down);
    return anything_wrong("rows of cells", rank == 0 ? why : NULL) ? 2 : 0;
  }
  if (options->steps < needed) {
    snprintf(why, sizeof why, "must be at least %d for the wave to pass the receiver", needed);
    return anything_wrong("--steps", rank == 0 ? why : NULL) ? 2 : 0;
  }
  const char* files[] = {options->picture, options->seismogram};
  for (int i = 0; i < 2; ++i) {
    int bad = rank == 0 && *files[i] && !can_be_written(files[i]);
    if (anything_wrong(files[i], bad ? "cannot be written" : NULL)) return 1;
  }
  return 0;
}

/* Everybody's rows to rank 0; NULL on the others. */
static float* all_rows(const Team* team, const Model* m, const float* mine) {
  int first, rows;
  int* counts = memory_for(2 * (size_t)team->ranks, sizeof *counts);
  float* all = NULL;
  for (int rank = 0; rank < team->ranks; ++rank) {
    rows_of(m->down, team->ranks, rank, &first, &rows);
    counts[rank] = rows * m->across;
    counts[team->ranks + rank] = first * m->across;
  }
  if (team->rank == 0) all = memory_for((size_t)m->across * (size_t)m->down, sizeof *all);
  MPI_Gatherv(mine, counts[team->rank], MPI_FLOAT, all, counts, counts + team->ranks, MPI_FLOAT, 0,
              MPI_COMM_WORLD);
  free(counts);
  return all;
}

static int save_snapshot(const Options* options, const Team* team, const Model* m,
                         const Record* record) {
  int first, rows, bad = 0;
  rows_of(m->down, team->ranks, team->rank, &first, &rows);
  float* ground = all_rows(team, m, speeds_of_row(m, first));
  float* pressure = all_rows(team, m, record->pressure);
  if (team->rank == 0) bad = write_snapshot(options->picture, m, ground, pressure);
  free(ground);
  free(pressure);
  return anything_wrong(options->picture, bad ? "cannot be written" : NULL);
}

/* One rank has heard everything; the sum with the others' zeros is that on rank 0. */
static int save_seismogram(const Options* options, const Team* team, const Record* record) {
  size_t count = (size_t)record->samples * (size_t)record->receivers;
  float* all = memory_for(count, sizeof *all);
  int bad = 0;
  MPI_Reduce(record->traces, all, (int)count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (team->rank == 0) bad = write_seismogram(options->seismogram, record, all);
  free(all);
  return anything_wrong(options->seismogram, bad ? "cannot be written" : NULL);
}

static void report(const Options* options, const Team* team, const Model* m, const Survey* s,
                   const Record* record) {
  const int heard = record->heard;
  double* waveform = memory_for((size_t)heard, sizeof *waveform);
  MPI_Reduce(record->waveform, waveform, heard, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (team->rank == 0) {
    printf("ground: %s, %d x %d cells of %.2f m\n",
           *options->model ? options->model : case_names[options->which], m->across, m->down,
           m->spacing);
    printf("shot: %.1f Hz, %.3f s in %d steps\n", s->frequency, options->steps * s->timestep,
           options->steps);
    printf("ranks: %d, threads of each: %d\n", team->ranks, team->threads);
    printf("fingerprint: %016llx\n", (unsigned long long)record->fingerprint);
    if (heard > 0) printf("error: %.3e\n", waveform_error(s, m, waveform, heard));
  }
  free(waveform);
}

/* Returns the exit code. */
static int run(const Options* options, const Model* m, int rank, int ranks) {
  int mine = threads_of_rank(), threads;
  MPI_Allreduce(&mine, &threads, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  Survey survey = plan_survey(options->which, m);
  int problem = check(options, m, &survey, ranks * threads, rank);
  if (!problem) {
    int heard = options->which == case_uniform ? steps_of_waveform(&survey, m) : 0;
    Team team = new_team(rank, ranks, threads, m->across);
    Record record = shoot(&team, m, &survey, options->steps, heard);
    report(options, &team, m, &survey, &record);
    if (*options->picture) problem |= save_snapshot(options, &team, m, &record);
    if (*options->seismogram) problem |= save_seismogram(options, &team, &record);
    if (rank == 0) printf("time: %.3f s\n", record.seconds);
    free_record(&record);
    free_team(&team);
  }
  free_survey(&survey);
  return problem;
}

int main(int count, char** words) {
  Options options;
  Model model = {0};
  int provided, rank, ranks;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int problem = read_options(count, words, rank, &options);
  if (!problem) problem = get_model(&options, rank, ranks, &model);
  if (!problem && *options.make_model)
    problem = anything_wrong(options.make_model,
                             rank == 0 ? write_model(options.make_model, &model) : NULL);
  else if (!problem)
    problem = run(&options, &model, rank, ranks);
  free(model.speed);
  MPI_Finalize();
  return problem > 0 ? problem : 0;
}
