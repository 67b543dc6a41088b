/* Ranks that wait for each other, and others that only wait long; calls that differ and fit. */
#ifndef MISMATCH_WAITS_H
#define MISMATCH_WAITS_H

#include <pthread.h>
#include <unistd.h>

#include "mismatch_calls.h"

enum { long_wait_us = 2100000 }; /* longer than what makes ranks look at each other */
static MPI_Comm a, b;

static void make_two(void) {
  MPI_Comm_dup(comm, &a);
  MPI_Comm_dup(comm, &b);
  MPI_Comm_set_name(a, "A");
  MPI_Comm_set_name(b, "B");
}
static int free_two(void) {
  MPI_Comm_free(&a);
  return MPI_Comm_free(&b);
}

/* ---- nobody can go on ---- */

static int comm_order(void) {
  make_two();
  MPI_Barrier(odd ? b : a);
  return MPI_Barrier(odd ? a : b);
}
static int comm_order_later(void) { /* after calls that went well */
  make_two();
  for (int i = 0; i < 20; ++i) {
    MPI_Bcast(in, 1, MPI_INT, 0, a);
    MPI_Barrier(b);
  }
  MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, odd ? b : a);
  return MPI_Bcast(in, 1, MPI_INT, 0, odd ? a : b);
}
static int nonblocking_order(void) {
  MPI_Request request;
  make_two();
  MPI_Ibarrier(odd ? b : a, &request);
  wait_for(request);
  MPI_Ibarrier(odd ? a : b, &request);
  return wait_for(request);
}
static int persistent_with_blocking(void) {
  MPI_Request request;
  if (!odd) return MPI_Barrier(comm);
  MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
  return start_and_wait(request);
}
static int cycle_of_three(void) { /* of pairs of ranks, the first three */
  MPI_Comm pairs[3] = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL};
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_split(comm, rank == i || rank == (i + 1) % 3 ? 0 : MPI_UNDEFINED, rank, &pairs[i]);
    if (pairs[i] != MPI_COMM_NULL) MPI_Comm_set_name(pairs[i], i == 0 ? "X" : i == 1 ? "Y" : "Z");
  }
  if (rank < 3) {
    MPI_Barrier(pairs[rank]);
    MPI_Barrier(pairs[(rank + 2) % 3]);
  }
  return MPI_Barrier(comm);
}
static int finalize(void) {
  if (!odd) return MPI_Barrier(comm);
  MPI_Finalize();
  exit(0);
}
static int first_finalizes(void) {
  if (rank != 0) return MPI_Bcast(in, 1, MPI_INT, 1, comm);
  MPI_Finalize();
  exit(0);
}
static int finalize_receive(void) {
  if (rank == 0) return MPI_Recv(in, 1, MPI_INT, size - 1, 5, comm, MPI_STATUS_IGNORE);
  MPI_Finalize();
  exit(0);
}
static int receive_with_barrier(void) {
  if (odd) MPI_Recv(in, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
  return MPI_Barrier(comm);
}
static int wrong_tag(void) { /* the message is there, but not the one that is received */
  if (rank == 0) MPI_Send(in, 1, MPI_INT, size - 1, 6, comm);
  return receive_with_barrier();
}
static int both_receive(void) {
  if (odd) MPI_Recv(in, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Recv(in, 1, MPI_INT, size - 1, 5, comm, MPI_STATUS_IGNORE);
  return MPI_Barrier(comm);
}
static int both_probe(void) { /* one of them in its matched form */
  MPI_Message message;
  if (odd) MPI_Probe(0, 5, comm, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Mprobe(size - 1, 6, comm, &message, MPI_STATUS_IGNORE);
  return MPI_Barrier(comm);
}
static int both_send(void) {
  int bytes = 1 << 20;
  char* data = calloc((size_t)bytes, 1);
  if (odd) MPI_Send(data, bytes, MPI_CHAR, 0, 5, comm);
  if (rank == 0) MPI_Send(data, bytes, MPI_CHAR, size - 1, 5, comm);
  free(data);
  return MPI_Barrier(comm);
}

/* ---- they only wait long ---- */

static int late(void) {
  if (odd) usleep(long_wait_us);
  return MPI_Barrier(comm);
}
/* Who has started a call is in it, wherever it waits meanwhile. */
static int overlapped(void) {
  MPI_Request request;
  make_two();
  if (rank == 0) usleep(long_wait_us);
  MPI_Ibarrier(a, &request);
  if (odd) MPI_Barrier(b);
  wait_for(request);
  if (!odd) MPI_Barrier(b);
  return free_two();
}
static int late_message(void) {
  if (odd) MPI_Recv(in, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
  if (rank == 0) {
    usleep(long_wait_us);
    MPI_Send(in, 1, MPI_INT, size - 1, 5, comm);
  }
  return MPI_Barrier(comm);
}
/* A message that is under way while its sender waits in a call that the receiver has not come to.
 */
static int message_on_its_way(void) {
  int bytes = 1 << 24;
  char* data = calloc((size_t)bytes, 1);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Isend(data, bytes, MPI_CHAR, size - 1, 5, comm, &request);
  if (odd) {
    usleep(long_wait_us);
    MPI_Recv(data, bytes, MPI_CHAR, 0, 5, comm, MPI_STATUS_IGNORE);
  }
  int rc = MPI_Barrier(comm);
  wait_for(request);
  free(data);
  return rc;
}
static void* second_thread(void* unused) {
  (void)unused;
  usleep(long_wait_us);
  MPI_Barrier(odd ? a : b);
  return NULL;
}
static int two_threads(void) { /* the other thread comes in the end */
  pthread_t thread;
  make_two();
  pthread_create(&thread, NULL, second_thread, NULL);
  MPI_Barrier(odd ? b : a);
  pthread_join(thread, NULL);
  return free_two();
}

/* ---- calls that differ and fit ---- */

static int same_signatures(void) {
  MPI_Datatype strided, mixed, twice;
  int lengths[2] = {1, 2};
  MPI_Aint offsets[2] = {0, 16};
  MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_vector(4, 1, 3, MPI_INT, &strided);
  MPI_Type_create_struct(2, lengths, offsets, parts, &mixed);
  MPI_Type_contiguous(2, mixed, &twice);
  MPI_Type_commit(&strided);
  MPI_Type_commit(&mixed);
  MPI_Type_commit(&twice);
  for (int i = 0; i < 5; ++i) { /* longer than what a room takes, too */
    int n = i < 4 ? i : 2000;
    double* data = calloc((size_t)n + 1, 128);
    MPI_Bcast(data, odd ? n : 4 * n, odd ? strided : MPI_INT, 0, comm);
    MPI_Bcast(data, odd ? n : 2 * n, odd ? twice : mixed, 0, comm);
    MPI_Bcast(data, odd ? 4 * n : n, odd ? MPI_BYTE : MPI_FLOAT, 0, comm);
    MPI_Bcast(data, 0, odd ? MPI_INT : MPI_DOUBLE, 0, comm);
    free(data);
  }
  MPI_Gather(in, odd ? 4 : 1, odd ? MPI_INT : strided, out, 4, MPI_INT, 0, comm);
  MPI_Gather(rank ? in : MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, 0, comm);
  MPI_Scatter(in, 1, strided, rank ? out : MPI_IN_PLACE, 4, MPI_INT, 0, comm);
  MPI_Allgather(in, odd ? 2 : 1, odd ? MPI_INT : MPI_2INT, out, 2, MPI_INT, comm);
  set_counts(0, 0, odd ? 3 : 0); /* only the last rank sends, and only to rank 0 */
  int wanted[64] = {0};
  wanted[size - 1] = rank == 0 ? 3 : 0;
  MPI_Alltoallv(in, counts, places, MPI_INT, out, wanted, places, MPI_INT, comm);
  MPI_Type_free(&strided);
  MPI_Type_free(&mixed);
  return MPI_Type_free(&twice);
}
static int any_order(void) { /* persistent calls may be started as one likes */
  MPI_Request requests[3];
  MPI_Barrier_init(comm, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(in, 3, MPI_INT, 1, comm, MPI_INFO_NULL, &requests[1]);
  MPI_Allreduce_init(in, out, 3, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[2]);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 3; ++i) MPI_Start(&requests[(i + round * rank) % 3]);
    MPI_Barrier(comm);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
  return MPI_SUCCESS;
}

static int rounds = 10;
static int barriers(void) {
  for (int i = 0; i < rounds; ++i) MPI_Barrier(comm);
  return MPI_SUCCESS;
}

#endif
