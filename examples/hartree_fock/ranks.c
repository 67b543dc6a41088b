/* All of MPI that this program uses, and what stands for it in a build without MPI. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>

#include "threads.h"

#ifdef WITHOUT_MPI

#include <time.h>

void ranks_start(int* count, char*** words) {
  (void)count, (void)words;
}
void ranks_end(void) {}
int ranks_mine(void) {
  return 0;
}
int ranks_all(void) {
  return 1;
}

double ranks_seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

_Noreturn void ranks_stop(const char* why) {
  fprintf(stderr, "hartree_fock: %s\n", why);
  exit(1);
}

void ranks_share(void* data, size_t bytes) {
  (void)data, (void)bytes;
}
void ranks_add_up(double* values, int count) {
  (void)values, (void)count;
}
void ranks_hand_out(long tasks) {
  (void)tasks;
}
Chunk ranks_request(void) {
  return (Chunk){0, 0};
}

#else

#include <mpi.h>

enum { request_tag = 1, chunk_tag = 2 };

static int mine, all;

void ranks_start(int* count, char*** words) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(count, words, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if (provided < MPI_THREAD_FUNNELED && threads_all() > 1)
    ranks_stop("this MPI does not allow threads: set OMP_NUM_THREADS=1");
}

void ranks_end(void) {
  MPI_Finalize();
}
int ranks_mine(void) {
  return mine;
}
int ranks_all(void) {
  return all;
}
double ranks_seconds(void) {
  return MPI_Wtime();
}

_Noreturn void ranks_stop(const char* why) {
  fprintf(stderr, "hartree_fock: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

void ranks_share(void* data, size_t bytes) {
  if (all > 1) MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

void ranks_add_up(double* values, int count) {
  if (all == 1) return;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Reduce(mine == 0 ? MPI_IN_PLACE : values, mine == 0 ? values : NULL, count, MPI_DOUBLE,
             MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(values, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* Guided chunks: each has half of a worker's fair share of what is left, so the early ones need few
 * messages and the late ones are small enough that all workers end together. */
void ranks_hand_out(long tasks) {
  long workers = all - 1, next = 0;
  for (long busy = workers; busy > 0;) {
    MPI_Status status;
    MPI_Recv(NULL, 0, MPI_LONG, MPI_ANY_SOURCE, request_tag, MPI_COMM_WORLD, &status);
    long left = tasks - next, count = left / (2 * workers);
    if (count == 0 && left > 0) count = 1;
    long chunk[2] = {next, count};
    MPI_Send(chunk, 2, MPI_LONG, status.MPI_SOURCE, chunk_tag, MPI_COMM_WORLD);
    next += count;
    if (count == 0) --busy;
  }
}

Chunk ranks_request(void) {
  long chunk[2];
  MPI_Send(NULL, 0, MPI_LONG, 0, request_tag, MPI_COMM_WORLD);
  MPI_Recv(chunk, 2, MPI_LONG, 0, chunk_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return (Chunk){chunk[0], chunk[1]};
}

#endif

void* ranks_memory(size_t count, size_t bytes) {
  void* memory = calloc(count, bytes);
  if (!memory) ranks_stop("not enough memory");
  return memory;
}
