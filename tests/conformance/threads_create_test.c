/* Several threads a rank that make communicators at the same time, each from one of its own, at
 * once, in the background and between groups. usage: threads_create_test THREADS ROUNDS */
#include <pthread.h>

#include "conformance.h"
#include "sides.h"

enum { threads_max = 16 };

static int rounds;

typedef struct {
  int number; /* the same on all ranks */
  MPI_Comm own;
} Worker;

static void check_alive(MPI_Comm comm, int value) {
  int sum = -1;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == value * size);
}

static void make_between(Worker* w) {
  Sides s = make_sides(w->own, 7); /* the same tag in all threads */
  int mine = w->number * 10 + s.side, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, s.inter);
  CHECK(sum == (w->number * 10 + 1 - s.side) * s.others);
  free_sides(&s);
}

static void* work(void* argument) {
  Worker* w = argument;
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm one, two, three, four;
    MPI_Request requests[2];
    MPI_Comm_idup(w->own, &one, &requests[0]);
    MPI_Comm_idup(w->own, &two, &requests[1]);
    MPI_Comm_dup(w->own, &three);
    MPI_Comm_split(w->own, 0, rank, &four);
    check_alive(three, w->number);
    if (size > 1) make_between(w);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check_alive(two, i);
    check_alive(one, i + w->number);
    check_alive(four, 1);
    MPI_Comm_free(&one);
    MPI_Comm_free(&two);
    MPI_Comm_free(&three);
    MPI_Comm_free(&four);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, threads = argc > 1 ? atoi(argv[1]) : 3;
  rounds = argc > 2 ? atoi(argv[2]) : 50;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(provided == MPI_THREAD_MULTIPLE && threads <= threads_max);
  pthread_t handles[threads_max];
  Worker workers[threads_max];
  for (int t = 0; t < threads; ++t) {
    workers[t].number = t;
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].own);
  }
  for (int t = 0; t < threads; ++t) pthread_create(&handles[t], NULL, work, &workers[t]);
  for (int t = 0; t < threads; ++t) pthread_join(handles[t], NULL);
  for (int t = 0; t < threads; ++t) MPI_Comm_free(&workers[t].own);
  return finish();
}
