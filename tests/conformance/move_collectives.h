/* Collectives of random_moves: the call, and what it makes of the model. */
#ifndef MOVE_COLLECTIVES_H
#define MOVE_COLLECTIVES_H

#include "move_messages.h"

static inline MPI_Op operation_of_step(void) {
  return now.operation == by_sum ? MPI_SUM : now.operation == by_xor ? MPI_BXOR : MPI_MAX;
}

/* Whether this rank's part lies in its receive buffer. */
static inline int is_in_place(void) {
  int rooted = now.collective == gather || now.collective == scatter || now.collective == reduce;
  return now.in_place && (!rooted || rank == root_now());
}

static inline MPI_Request begin_collective(const void* from, void* to) {
  const int o = out_layout.count, i = in_layout.count, root = root_now();
  MPI_Datatype ot = out_layout.type, it = in_layout.type;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Request request = MPI_REQUEST_NULL;
  if (now.collective == bcast)
    rank == root ? MPI_Ibcast(out.data, o, ot, root, comm, &request)
                 : MPI_Ibcast(to, i, it, root, comm, &request);
  if (now.collective == reduce)
    MPI_Ireduce(from, to, i, it, operation_of_step(), root, comm, &request);
  if (now.collective == allreduce)
    MPI_Iallreduce(from, to, i, it, operation_of_step(), comm, &request);
  if (now.collective == gather) MPI_Igather(from, o, ot, to, i, it, root, comm, &request);
  if (now.collective == scatter) MPI_Iscatter(from, o, ot, to, i, it, root, comm, &request);
  if (now.collective == allgather) MPI_Iallgather(from, o, ot, to, i, it, comm, &request);
  if (now.collective == alltoall) MPI_Ialltoall(from, o, ot, to, i, it, comm, &request);
  return request;
}

static inline void call_collective(const void* from, void* to) {
  const int o = out_layout.count, i = in_layout.count, root = root_now();
  MPI_Datatype ot = out_layout.type, it = in_layout.type;
  MPI_Comm comm = MPI_COMM_WORLD;
  if (now.collective == bcast)
    rank == root ? MPI_Bcast(out.data, o, ot, root, comm) : MPI_Bcast(to, i, it, root, comm);
  if (now.collective == reduce) MPI_Reduce(from, to, i, it, operation_of_step(), root, comm);
  if (now.collective == allreduce) MPI_Allreduce(from, to, i, it, operation_of_step(), comm);
  if (now.collective == gather) MPI_Gather(from, o, ot, to, i, it, root, comm);
  if (now.collective == scatter) MPI_Scatter(from, o, ot, to, i, it, root, comm);
  if (now.collective == allgather) MPI_Allgather(from, o, ot, to, i, it, comm);
  if (now.collective == alltoall) MPI_Alltoall(from, o, ot, to, i, it, comm);
}

/* What this rank has in the call, put where an operation in place wants it. */
static inline void put_in_place(void) {
  uint64_t key = key_of(rank);
  for (int peer = 0; peer < size; ++peer)
    if (now.collective == alltoall || peer == rank)
      compute_block(key, block_of(&now.out, peer, 0), block_of(&now.in, peer, 0),
                    opaque_view(in.data));
}

static inline void model_numbers(void) {
  if (now.collective == reduce && rank != root_now()) return;
  compute_move(0, rank, model_data(&in));
  for (int from = 1; from < size; ++from) compute_sum(from, rank, model_data(&in));
}

static inline void move_collective(void) {
  const int place = is_in_place();
  if (place && now.collective != scatter) put_in_place();
  /* In a scatter the part received is the one that may stay. */
  const void* from = place && now.collective != scatter ? MPI_IN_PLACE : out.data;
  void* to = place && now.collective == scatter ? MPI_IN_PLACE : (void*)in.data;
  if (now.nonblocking) {
    MPI_Request request = begin_collective(from, to);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    call_collective(from, to);
  }
  if (has_numbers())
    model_numbers();
  else
    model_moves(compute_move);
}

#endif
