/* Collective calls that do not fit together, one function a word: the last rank does something else
 * than the others. Each returns what the call, or the one that completes it, returned. */
#ifndef MISMATCH_CALLS_H
#define MISMATCH_CALLS_H

#include "check.h"

static int size, odd; /* odd: this is the last rank */
static MPI_Comm comm; /* what the words call on */
static double in[256], out[256];
static int counts[64], places[64];
static MPI_Datatype types[64];

static int wait_for(MPI_Request request) {
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static int start_and_wait(MPI_Request request) {
  MPI_Start(&request);
  int rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  return rc;
}

/* `count` for each rank, `other` for rank `whom`. */
static void set_counts(int count, int whom, int other) {
  for (int i = 0; i < size; ++i) {
    counts[i] = i == whom ? other : count;
    places[i] = 4 * i;
  }
}

/* ---- another procedure ---- */

static int kind(void) {
  if (odd) return MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, comm);
  return MPI_Bcast(in, 1, MPI_INT, 0, comm);
}
static int third_call(void) {
  MPI_Barrier(comm);
  MPI_Bcast(in, 1, MPI_INT, 0, comm);
  return odd ? MPI_Barrier(comm) : MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, comm);
}
static int nonblocking_with_blocking(void) {
  MPI_Request request;
  if (!odd) return MPI_Bcast(in, 1, MPI_INT, 0, comm);
  MPI_Ibcast(in, 1, MPI_INT, 0, comm, &request);
  return wait_for(request);
}
static int gather_with_gatherv(void) {
  set_counts(1, -1, 0);
  if (odd) return MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, comm);
  return MPI_Gatherv(in, 1, MPI_INT, out, counts, places, MPI_INT, 0, comm);
}
static int block_with_counts(void) {
  set_counts(1, -1, 0);
  if (odd) return MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, comm);
  return MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
}
static int nonblocking_kind(void) {
  MPI_Request request;
  if (odd)
    MPI_Ibarrier(comm, &request);
  else
    MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, comm, &request);
  return wait_for(request);
}
static int persistent_kind(void) {
  MPI_Request request;
  if (odd)
    MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
  else
    MPI_Scan_init(in, out, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
  return start_and_wait(request);
}
static int persistent_order(void) {
  MPI_Request request;
  if (odd) MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
  int rc = MPI_Barrier(comm);
  if (!odd) MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
  MPI_Request_free(&request);
  return rc;
}

/* ---- roots ---- */

static int root_bcast(void) {
  return MPI_Bcast(in, 1, MPI_INT, odd ? 1 : 0, comm);
}
static int root_reduce(void) {
  return MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, odd ? 1 : 0, comm);
}
static int root_gather(void) {
  return MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, odd ? 1 : 0, comm);
}
static int root_scatterv(void) {
  set_counts(1, -1, 0);
  return MPI_Scatterv(in, counts, places, MPI_INT, out, 1, MPI_INT, odd ? 1 : 0, comm);
}
static int root_ibcast(void) {
  MPI_Request request;
  MPI_Ibcast(in, 1, MPI_INT, odd ? 1 : 0, comm, &request);
  return wait_for(request);
}
static int root_persistent(void) {
  MPI_Request request;
  MPI_Reduce_init(in, out, 1, MPI_INT, MPI_SUM, odd ? 1 : 0, comm, MPI_INFO_NULL, &request);
  return start_and_wait(request);
}

/* ---- operations ---- */

static void add(void* a, void* b, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int*)b)[i] += ((int*)a)[i];
}
static int op_allreduce(void) {
  return MPI_Allreduce(in, out, 1, MPI_INT, odd ? MPI_MAX : MPI_SUM, comm);
}
static int op_scan(void) {
  return MPI_Scan(in, out, 1, MPI_INT, odd ? MPI_BAND : MPI_BOR, comm);
}
static int op_user(void) {
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  int rc = MPI_Reduce(in, out, 1, MPI_INT, odd ? op : MPI_SUM, 0, comm);
  MPI_Op_free(&op);
  return rc;
}
static int op_commutes(void) {
  MPI_Op op;
  MPI_Op_create(add, odd, &op);
  int rc = MPI_Exscan(in, out, 1, MPI_INT, op, comm);
  MPI_Op_free(&op);
  return rc;
}

/* ---- counts and types that all have alike ---- */

static int count_bcast(void) {
  return MPI_Bcast(in, odd ? 5 : 4, MPI_INT, 0, comm);
}
static int type_bcast(void) {
  return MPI_Bcast(in, 4, odd ? MPI_FLOAT : MPI_INT, 0, comm);
}
static int long_bcast(void) {
  int bytes = 1 << 20;
  char* data = calloc((size_t)bytes + 1, 1);
  int rc = MPI_Bcast(data, odd ? bytes + 1 : bytes, MPI_CHAR, 0, comm);
  free(data);
  return rc;
}
static int count_reduce(void) {
  return MPI_Reduce(in, out, odd ? 2 : 1, MPI_DOUBLE, MPI_SUM, 0, comm);
}
static int type_allreduce(void) {
  return MPI_Allreduce(in, out, 2, odd ? MPI_UNSIGNED : MPI_INT, MPI_SUM, comm);
}
static int count_exscan(void) {
  return MPI_Exscan(in, out, odd ? 2 : 1, MPI_INT, MPI_SUM, comm);
}
static int count_block(void) {
  return MPI_Reduce_scatter_block(in, out, odd ? 2 : 1, MPI_INT, MPI_SUM, comm);
}
static int counts_reduce_scatter(void) { /* with the same sum */
  set_counts(2, odd, 3);
  counts[odd ? 0 : 1] = 1;
  return MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
}
static int count_iallreduce(void) {
  MPI_Request request;
  MPI_Iallreduce(in, out, odd ? 2 : 1, MPI_INT, MPI_SUM, comm, &request);
  return wait_for(request);
}
static int count_persistent(void) {
  MPI_Request request;
  MPI_Bcast_init(in, odd ? 2 : 1, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
  return start_and_wait(request);
}

#endif
