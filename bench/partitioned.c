/* Messages in partitions, which threads make ready: MPI_Pready, beside the same program with an
 * MPI_Isend for each partition. A cell is one message, from its start to an answer, by threads of
 * the sender (T1 to T16), partitions (P2 to P256) and bytes a partition; computing: each thread
 * writes a partition and computes for some microseconds before it goes. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { threads_most = 16, partitions_most = 256, message_bytes_most = 64 << 20, computing_us = 5 };

typedef struct {
  int threads, partitions, computes, by_isend;
  Exchange* x;
  MPI_Request request, requests[partitions_most];
  atomic_int turn, done, ends;
} Team;
typedef struct {
  Team* team;
  int number;
} Worker;

static void wait_for_value(atomic_int* word, int value) {
  while (atomic_load(word) < value) sched_yield();
}

static void compute(Exchange* x, char* partition) {
  write_lines(partition, x->bytes, x->turn);
  for (double start = now_us(); now_us() - start < computing_us;) continue;
}

/* A thread's part of a message: each has neighboring partitions. */
static void send_part(Team* t, int number) {
  const int first = t->partitions * number / t->threads;
  const int last = t->partitions * (number + 1) / t->threads;
  for (int i = first; i < last; ++i) {
    char* partition = t->x->out + (size_t)i * t->x->bytes;
    if (t->computes) compute(t->x, partition);
    if (t->by_isend)
      MPI_Isend(partition, (int)t->x->bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD, &t->requests[i]);
#if MPI_VERSION >= 4
    else
      MPI_Pready(i, t->request);
#endif
  }
  if (t->by_isend) MPI_Waitall(last - first, t->requests + first, MPI_STATUSES_IGNORE);
}

static void* work(void* given) {
  Worker* w = given;
  for (int turn = 1;; ++turn) {
    wait_for_value(&w->team->turn, turn);
    if (atomic_load(&w->team->ends)) return NULL;
    send_part(w->team, w->number);
    atomic_fetch_add(&w->team->done, 1);
  }
}

static void send_message(Team* t) {
  const int turn = atomic_load(&t->turn) + 1;
  ++t->x->turn;
  if (!t->by_isend) MPI_Start(&t->request);
  atomic_store(&t->turn, turn);
  send_part(t, 0);
  wait_for_value(&t->done, turn * (t->threads - 1));
  if (!t->by_isend) MPI_Wait(&t->request, MPI_STATUS_IGNORE);
}

static void receive_message(Team* t) {
  for (int i = 0; t->by_isend && i < t->partitions; ++i)
    MPI_Irecv(t->x->in + (size_t)i * t->x->bytes, (int)t->x->bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD,
              &t->requests[i]);
  if (t->by_isend) {
    MPI_Waitall(t->partitions, t->requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Start(&t->request);
    MPI_Wait(&t->request, MPI_STATUS_IGNORE);
  }
}

static void message(Exchange* x) {
  Team* t = x->more;
  char answer[4] = {0};
  const int tag = partitions_most;
  if (rank == 0) {
    send_message(t);
    MPI_Recv(answer, 4, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    receive_message(t);
    MPI_Send(answer, 4, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
  }
}

static void make_request(Team* t) {
  t->request = MPI_REQUEST_NULL;
#if MPI_VERSION >= 4
  if (rank == 0 && !t->by_isend)
    MPI_Psend_init(t->x->out, t->partitions, (MPI_Count)t->x->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &t->request);
  if (rank == 1 && !t->by_isend)
    MPI_Precv_init(t->x->in, t->partitions, (MPI_Count)t->x->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &t->request);
#endif
}

static void cell(Team* t) {
  pthread_t ids[threads_most];
  Worker workers[threads_most];
  char metric[60];
  const int started = rank == 0 ? t->threads : 1; /* the first is this one */
  atomic_store(&t->turn, 0);
  atomic_store(&t->done, 0);
  atomic_store(&t->ends, 0);
  make_request(t);
  for (int i = 1; i < started; ++i) {
    workers[i] = (Worker){t, i};
    pthread_create(&ids[i], NULL, work, &workers[i]);
  }
  const double value = measure(message, t->x);
  atomic_store(&t->ends, 1);
  atomic_fetch_add(&t->turn, 1);
  for (int i = 1; i < started; ++i) pthread_join(ids[i], NULL);
  if (t->request != MPI_REQUEST_NULL) MPI_Request_free(&t->request);
  snprintf(metric, sizeof metric, "partitioned/T%d/P%d/%s", t->threads, t->partitions,
           t->by_isend ? "isend" : "pready");
  print_cell(metric, t->computes ? "/computing" : "", t->x->bytes, value);
}

void partitions_of_threads(int count, char** sizes) {
  static const int threads[] = {1, 2, 4, 16}, partitions[] = {2, 16, 256};
  const int ways = MPI_VERSION >= 4 ? 2 : 1;
  for (int i = 0; i < count; ++i)
    for (int p = 0; p < 3; ++p) {
      Exchange x = {NULL, NULL, strtoul(sizes[i], NULL, 10), 0, 0, NULL, 0};
      const size_t all = x.bytes * (size_t)partitions[p];
      if (all > message_bytes_most) continue;
      Team* t = calloc(1, sizeof *t);
      x.out = buffer_of(all);
      x.in = buffer_of(all);
      x.more = t;
      t->x = &x;
      t->partitions = partitions[p];
      for (int n = 0; n < 4 && threads[n] <= partitions[p]; ++n)
        for (int variant = 0; variant < 2 * ways; ++variant) {
          t->threads = threads[n];
          t->computes = variant % 2;
          t->by_isend = variant < 2;
          cell(t);
        }
      free(x.out);
      free(x.in);
      free(t);
    }
}
