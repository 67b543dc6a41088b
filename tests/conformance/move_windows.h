/* One-sided operations of random_moves, in a window of the step's own. What moves is what messages
 * would: from the out side of one rank to the in side of another, one of which lies in the window.
 */
#ifndef MOVE_WINDOWS_H
#define MOVE_WINDOWS_H

#include "move_collectives.h"

static MPI_Win win = MPI_WIN_NULL;
static MPI_Aint begins[ranks_max]; /* displacement of each rank's data */

static void fail_in_window(MPI_Win* failed, int* error, ...) {
  (void)failed;
  fail_by_error(NULL, error);
}

static inline void begin_windows(void) {
  Buffer* b = now.access == get ? &out : &in;
  MPI_Errhandler handler;
  if (b->memory == window) {
    MPI_Win_allocate((MPI_Aint)b->area_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &b->area, &win);
    make_model(b, now.access == get ? &now.out : &now.in);
  } else {
    MPI_Win_create(b->area, (MPI_Aint)b->area_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  }
  MPI_Win_create_errhandler(fail_in_window, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Errhandler_free(&handler);
  MPI_Aint begin = b->data - b->area;
  MPI_Allgather(&begin, 1, MPI_AINT, begins, 1, MPI_AINT, MPI_COMM_WORLD);
}
static inline void end_windows(void) {
  MPI_Win_free(&win);
}

/* Around loads and stores of the own part while no epoch is open. */
static inline void begin_local(void) {
  if (now.family == of_windows) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
}
static inline void end_local(void) {
  if (now.family == of_windows) MPI_Win_unlock(rank, win);
}

/* Operation k on what lies at another rank; a request only where they are asked for. */
static inline void operate(int other, int k) {
  MPI_Request* request = &sent[sent_count];
  const int o = out_layout.count, i = in_layout.count, asks = now.synchronization == requests;
  MPI_Datatype ot = out_layout.type, it = in_layout.type;
  MPI_Op op = operation_of_step();
  if (asks) ++sent_count;
  if (now.access == get) {
    unsigned char* to = block_received(other, k);
    MPI_Aint at = begins[other] + (MPI_Aint)place_of(&now.out, block_of(&now.out, rank, k), 0);
    asks ? MPI_Rget(to, i, it, other, at, o, ot, win, request)
         : MPI_Get(to, i, it, other, at, o, ot, win);
    return;
  }
  const unsigned char* from = block_sent(other, k);
  MPI_Aint at = begins[other] + (MPI_Aint)place_of(&now.in, block_of(&now.in, rank, k), 0);
  if (now.access == put)
    asks ? MPI_Rput(from, o, ot, other, at, i, it, win, request)
         : MPI_Put(from, o, ot, other, at, i, it, win);
  else
    asks ? MPI_Raccumulate(from, o, ot, other, at, i, it, op, win, request)
         : MPI_Accumulate(from, o, ot, other, at, i, it, op, win);
}

/* Whether this rank has operations on what lies there. */
static inline int operates_on(int other) {
  return now.access == get ? sends(other, rank) : sends(rank, other);
}
static inline void operate_on_all(void) {
  const int lock = now.synchronization == shared_lock      ? MPI_LOCK_SHARED
                   : now.synchronization == exclusive_lock ? MPI_LOCK_EXCLUSIVE
                                                           : 0;
  for (int i = 0; i < size; ++i) {
    const int other = (rank + i) % size;
    if (!operates_on(other)) continue;
    if (now.synchronization <= exclusive_lock && now.synchronization != fence)
      MPI_Win_lock(lock, other, 0, win);
    for (int k = 0; k < now.messages; ++k) operate(other, k);
    if (now.synchronization == flush) MPI_Win_flush(other, win);
    if (now.synchronization <= exclusive_lock && now.synchronization != fence)
      MPI_Win_unlock(other, win);
  }
}

static inline void run_epoch(void) {
  sent_count = 0;
  switch (now.synchronization) {
    case fence:
      MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
      operate_on_all();
      MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
      break;
    case flush:
    case requests:
      MPI_Win_lock_all(0, win);
      operate_on_all();
      MPI_Waitall(sent_count, sent, MPI_STATUSES_IGNORE);
      MPI_Win_unlock_all(win);
      break;
    default:
      operate_on_all();
  }
}

/* Between two barriers, since the owners use their memory before and after. */
static inline void move_in_windows(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  run_epoch();
  MPI_Barrier(MPI_COMM_WORLD);
  model_moves(has_numbers() ? compute_sum : compute_move);
}

#endif
