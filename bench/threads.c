/* Two threads a rank, all calling at once: a window of short messages and an answer, thread to
 * thread, each pair in a communicator of its own or all in one, kept apart by tags. */
#include <pthread.h>
#include <stdio.h>

#include "measure.h"

enum { pairs = 2, in_window = 64 };

typedef struct {
  MPI_Comm comm;
  int tag;
  long repeats;
  char data[in_window][8];
} Pair;

static void window_one_way(Pair* p) {
  MPI_Request requests[in_window];
  char answer[4] = {0};
  for (int i = 0; i < in_window; ++i) {
    if (rank == 0)
      MPI_Isend(p->data[i], 8, MPI_BYTE, 1, p->tag, p->comm, &requests[i]);
    else
      MPI_Irecv(p->data[i], 8, MPI_BYTE, 0, p->tag, p->comm, &requests[i]);
  }
  MPI_Waitall(in_window, requests, MPI_STATUSES_IGNORE);
  if (rank == 0)
    MPI_Recv(answer, 4, MPI_BYTE, 1, p->tag, p->comm, MPI_STATUS_IGNORE);
  else
    MPI_Send(answer, 4, MPI_BYTE, 0, p->tag, p->comm);
}

static void* work(void* argument) {
  Pair* p = argument;
  for (long i = 0; i < p->repeats; ++i) window_one_way(p);
  return NULL;
}

/* One step: all pairs at once, `repeats` windows each. */
static void all_pairs(Exchange* x) {
  Pair* pair = x->more;
  pthread_t threads[pairs];
  if (rank > 1) return;
  for (int i = 0; i < pairs; ++i) pthread_create(&threads[i], NULL, work, &pair[i]);
  for (int i = 0; i < pairs; ++i) pthread_join(threads[i], NULL);
}

void messages_of_threads(void) {
  for (int own = 1; own >= 0; --own) {
    Pair pair[pairs] = {0};
    Exchange x = {0};
    for (int i = 0; i < pairs; ++i) {
      pair[i].tag = i + 1;
      pair[i].repeats = 100;
      pair[i].comm = MPI_COMM_WORLD;
      if (own) MPI_Comm_dup(MPI_COMM_WORLD, &pair[i].comm);
    }
    x.more = pair;
    double value = measure(all_pairs, &x) / (pairs * pair[0].repeats * in_window);
    print_cell("threads", own ? "/own" : "/shared", 8, value);
    for (int i = 0; own && i < pairs; ++i) MPI_Comm_free(&pair[i].comm);
  }
}
