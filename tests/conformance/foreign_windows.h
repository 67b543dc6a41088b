/* Windows of foreign_memory: all operations on each kind of window, and windows over memory that
 * nobody may touch, which are refused. */
#ifndef FOREIGN_WINDOWS_H
#define FOREIGN_WINDOWS_H

#include "foreign_operations.h"

/* ---- operations on one number ---- */

/* The number that must be there is, or is not. */
static inline void swap_one(int how, int where, int succeeds) {
  trying("MPI_Compare_and_swap%s (opaque: %d), synchronized by %s", succeeds ? "" : " in vain",
         where, synchronization_names[how]);
  Buffer compared = make_buffer(as_ints, sizeof(int), where >> 2);
  out = make_buffer(as_ints, sizeof(int), where & 1);
  in = make_buffer(as_ints, sizeof(int), where >> 1 & 1);
  ++round_now;
  fill(&out, key_of(rank)), wipe(&in), wipe(&compared);
  want_old_values(1, 0);
  unsigned old = old_value(next_rank, 1) + (unsigned)!succeeds;
  memcpy(compared.memory + compared.begin, &old, sizeof old);
  memcpy(compared.wanted + compared.begin, &old, sizeof old);
  write_window();
  begin_epoch(how);
  MPI_Compare_and_swap(out.given, compared.given, in.given, MPI_UNSIGNED, next_rank,
                       place_in_next(), win);
  end_epoch(how);
  check_both();
  CHECK_BUFFER(compared);
  check_window(succeeds ? to_put : to_read, 1, 0);
  free_buffer(&out), free_buffer(&in), free_buffer(&compared);
}

static inline void fetch_one(int how, int where, int operation) {
  const MPI_Op op = operation == to_read      ? MPI_NO_OP
                    : operation == to_replace ? MPI_REPLACE
                                              : MPI_SUM;
  trying("MPI_Fetch_and_op number %d (opaque: %d), synchronized by %s", operation, where,
         synchronization_names[how]);
  out = make_buffer(as_ints, sizeof(int), where & 1);
  in = make_buffer(as_ints, sizeof(int), where >> 1 & 1);
  ++round_now;
  fill(&out, key_of(rank)), wipe(&in);
  want_old_values(1, 0);
  write_window();
  begin_epoch(how);
  MPI_Fetch_and_op(out.given, in.given, MPI_UNSIGNED, next_rank, place_in_next(), op, win);
  end_epoch(how);
  check_both();
  check_window(operation, 1, 0);
  free_buffer(&out), free_buffer(&in);
}

/* ---- all of them ---- */

static inline void check_one_window(void) {
  const size_t elements[] = {0, 1, 2, 150, 3000};
  for (int how = 0; how < synchronizations; ++how) {
    for (int where = 1; where < 4; ++where)
      for (int operation = 0; operation < operations; ++operation)
        for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i)
          for (int layout = as_ints; layout < (elements[i] > 2 ? as_indexed : layouts); ++layout)
            try_operation(operation, layout, elements[i] * element_ints, (i + (size_t)where) % 2,
                          where, how);
    for (int where = 1; where < 8; ++where)
      for (int succeeds = 0; succeeds < 2; ++succeeds) swap_one(how, where, succeeds);
    for (int where = 1; where < 4; ++where)
      for (int operation = to_get_and_add; operation < operations; ++operation)
        fetch_one(how, where, operation);
  }
}

static inline void check_windows(void) {
  const MPI_Aint window_bytes = window_ints * sizeof *mine;
  next_rank = (rank + 1) % size, previous_rank = (rank + size - 1) % size;
  next_begins = 0, unit = sizeof(int);
  MPI_Win_allocate(window_bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  check_one_window();
  MPI_Win_free(&win);
  mine = malloc((size_t)window_bytes);
  MPI_Win_create(mine, window_bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  check_one_window();
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, mine, window_bytes);
  MPI_Aint begins;
  MPI_Get_address(mine, &begins);
  unit = 1;
  MPI_Sendrecv(&begins, 1, MPI_AINT, previous_rank, 0, &next_begins, 1, MPI_AINT, next_rank, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check_one_window();
  MPI_Win_detach(win, mine);
  MPI_Win_free(&win);
  free(mine);
}

/* ---- windows over such memory ---- */

/* On rank 0 alone or on all: then all are told. A good one follows. */
static inline void refuse_to_create(int on_all) {
  MPI_Win made;
  trying("MPI_Win_create of opaque memory%s", on_all ? "" : " on rank 0 alone");
  Buffer memory = make_buffer(as_bytes, 10000, on_all || rank == 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int code = MPI_Win_create(memory.given, 10000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  HELD(code != MPI_SUCCESS);
  if (memory.opaque) HELD(class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION);
  HELD(MPI_Win_create(memory.given, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made) == MPI_SUCCESS);
  MPI_Win_free(&made);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  free_buffer(&memory);
}

static inline void refuse_to_attach(void) {
  MPI_Win dynamic;
  trying("MPI_Win_attach of opaque memory");
  Buffer memory = make_buffer(as_bytes, 10000, 1);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
  HELD(class_of(MPI_Win_attach(dynamic, memory.given, 10000)) == MPI_ERR_UNSUPPORTED_OPERATION);
  HELD(MPI_Win_attach(dynamic, memory.wanted, 10000) == MPI_SUCCESS);
  HELD(MPI_Win_detach(dynamic, memory.wanted) == MPI_SUCCESS);
  MPI_Win_free(&dynamic);
  free_buffer(&memory);
}

static inline void check_refusals(void) {
  if (on_host) return;
  refuse_to_create(1);
  refuse_to_create(0);
  refuse_to_attach();
}

#endif
