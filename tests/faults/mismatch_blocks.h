/* More of mismatch_calls.h: blocks that one rank sends and another expects otherwise; other kinds
 * of communicators. */
#ifndef MISMATCH_BLOCKS_H
#define MISMATCH_BLOCKS_H

#include "mismatch_calls.h"

/* ---- blocks: what one sends and another expects ---- */

static int gather_count(void) {
  return MPI_Gather(in, odd ? 2 : 1, MPI_INT, out, 1, MPI_INT, 0, comm);
}
static int gatherv_count(void) {
  set_counts(3, size - 1, 4);
  return MPI_Gatherv(in, 3, MPI_INT, out, counts, places, MPI_INT, 0, comm);
}
static int scatter_type(void) {
  return MPI_Scatter(in, 1, MPI_INT, out, 1, odd ? MPI_FLOAT : MPI_INT, 0, comm);
}
static int scatterv_count(void) {
  set_counts(3, size - 1, 4);
  return MPI_Scatterv(in, counts, places, MPI_INT, out, 3, MPI_INT, 0, comm);
}
static int allgather_count(void) {
  return MPI_Allgather(in, odd ? 2 : 1, MPI_INT, out, odd ? 2 : 1, MPI_INT, comm);
}
static int allgatherv_count(void) { /* all but the last rank are wrong about rank 0 */
  set_counts(2, odd ? -1 : 0, 3);
  return MPI_Allgatherv(in, 2, MPI_INT, out, counts, places, MPI_INT, comm);
}
static int alltoall_type(void) {
  return MPI_Alltoall(in, 1, odd ? MPI_LONG : MPI_DOUBLE, out, 1, MPI_DOUBLE, comm);
}
static int alltoallv_count(void) { /* one block, from the last rank to rank 0 */
  int wanted[64];
  set_counts(2, odd ? 0 : -1, 3);
  for (int i = 0; i < size; ++i) wanted[i] = 2;
  return MPI_Alltoallv(in, counts, places, MPI_INT, out, wanted, places, MPI_INT, comm);
}
static int alltoallw_type(void) {
  MPI_Datatype wanted[64];
  set_counts(2, -1, 0);
  for (int i = 0; i < size; ++i) {
    wanted[i] = MPI_INT;
    types[i] = odd && i == 0 ? MPI_FLOAT : MPI_INT;
  }
  return MPI_Alltoallw(in, counts, places, types, out, counts, places, wanted, comm);
}
static int ialltoallv_in_place(void) { /* what two ranks exchange has one length */
  MPI_Request request;
  set_counts(2, odd ? 0 : -1, 3);
  MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, counts, places, MPI_INT, comm,
                 &request);
  return wait_for(request);
}
static int persistent_gather(void) {
  MPI_Request request;
  MPI_Gather_init(in, odd ? 2 : 1, MPI_INT, out, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
  return start_and_wait(request);
}
static int in_place_allgather(void) {
  return MPI_Allgather(odd ? MPI_IN_PLACE : (void*)in, 1, MPI_INT, out, 1, MPI_INT, comm);
}
static int in_place_alltoall(void) {
  return MPI_Alltoall(odd ? MPI_IN_PLACE : (void*)in, 1, MPI_INT, out, 1, MPI_INT, comm);
}
static int in_place_allreduce(void) {
  return MPI_Allreduce(odd ? MPI_IN_PLACE : (void*)in, out, 1, MPI_INT, MPI_SUM, comm);
}

/* ---- among neighbors: a ring ---- */

static MPI_Comm ring(void) {
  MPI_Comm made;
  int periodic = 1;
  MPI_Cart_create(comm, 1, &size, &periodic, 0, &made);
  return made;
}
static int neighbor_kind(void) {
  MPI_Comm around = ring();
  int rc = odd ? MPI_Neighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, around)
               : MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, around);
  MPI_Comm_free(&around);
  return rc;
}
static int neighbor_count(void) {
  MPI_Comm around = ring();
  int rc = MPI_Neighbor_allgather(in, odd ? 2 : 1, MPI_INT, out, 1, MPI_INT, around);
  MPI_Comm_free(&around);
  return rc;
}

/* ---- between groups: rank 0, and the others ---- */

static MPI_Comm between(void) {
  MPI_Comm half, made;
  MPI_Comm_split(comm, rank == 0, rank, &half);
  MPI_Intercomm_create(half, 0, comm, rank == 0 ? 1 : 0, 7, &made);
  MPI_Comm_free(&half);
  return made;
}
static int inter_kind(void) {
  MPI_Comm both = between();
  int rc = odd ? MPI_Barrier(both) : MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, both);
  MPI_Comm_free(&both);
  return rc;
}
static int inter_root(void) { /* two groups that both want to give */
  MPI_Comm both = between();
  int first = rank == 0 || rank == 1;
  int rc = MPI_Bcast(in, 1, MPI_INT, first ? MPI_ROOT : MPI_PROC_NULL, both);
  MPI_Comm_free(&both);
  return rc;
}
static int inter_count(void) {
  MPI_Comm both = between();
  int rc = MPI_Bcast(in, odd ? 2 : 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, both);
  MPI_Comm_free(&both);
  return rc;
}
static int inter_blocks(void) {
  MPI_Comm both = between();
  int rc = MPI_Alltoall(in, odd ? 2 : 1, MPI_INT, out, 1, MPI_INT, both);
  MPI_Comm_free(&both);
  return rc;
}

/* ---- how communicators and ranks are named ---- */

static int reversed(void) {
  MPI_Comm turned;
  MPI_Comm_split(comm, 0, size - rank, &turned);
  MPI_Comm_set_name(turned, "turned round");
  int rc = MPI_Bcast(in, 1, MPI_INT, odd ? 1 : 0, turned);
  MPI_Comm_free(&turned);
  return rc;
}
static int unnamed(void) {
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
  int rc = odd ? MPI_Barrier(copy) : MPI_Bcast(in, 1, MPI_INT, 0, copy);
  MPI_Comm_free(&copy);
  return rc;
}

#endif
