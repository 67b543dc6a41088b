/* Windows of foreign_memory: all operations on each kind of window, and on windows over memory that
 * nobody may touch. */
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

/* Less of all that, for windows that are reached by messages alone. */
static inline void check_slow_window(void) {
  for (int how = 0; how < synchronizations; ++how) {
    for (int operation = 0; operation < operations; ++operation) {
      try_operation(operation, as_ints, element_ints, 0, how % 2 ? 3 : 0, how);
      try_operation(operation, as_ints, 3000 * element_ints, how == by_lock, how % 2 ? 0 : 3, how);
    }
    swap_one(how, 0, 1), swap_one(how, 7, 0);
    fetch_one(how, 3, to_get_and_add), fetch_one(how, 0, to_read);
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

/* On all ranks, or on every second one. */
static inline void check_windows_over_it(int on_all) {
  const MPI_Aint window_bytes = window_ints * sizeof *mine;
  const int is_opaque = !on_host && (on_all || rank % 2 == 0);
  unsigned* given =
      is_opaque ? opaque_allocate((size_t)window_bytes) : malloc((size_t)window_bytes);
  HELD(given != NULL);
  mine = opaque_view(given);
  next_begins = 0, unit = sizeof(int);
  MPI_Win_create(given, window_bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  check_slow_window();
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, given, window_bytes);
  MPI_Aint begins;
  MPI_Get_address(given, &begins);
  unit = 1;
  MPI_Sendrecv(&begins, 1, MPI_AINT, previous_rank, 0, &next_begins, 1, MPI_AINT, next_rank, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check_slow_window();
  MPI_Win_detach(win, given);
  MPI_Win_free(&win);
  if (!is_opaque || !opaque_free(given)) free(given);
}

#endif
