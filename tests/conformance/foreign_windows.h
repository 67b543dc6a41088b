/* One-sided operations of foreign_memory, from buffers that nobody may touch on memory of the host.
 * Each rank operates on the window of the next one. */
#ifndef FOREIGN_WINDOWS_H
#define FOREIGN_WINDOWS_H

#include "foreign_messages.h"

enum { window_ints = 40000 };
enum { by_fence, by_lock, by_lock_all, synchronizations };
static const char* const synchronization_names[] = {"fences", "a lock", "a lock of all"};

static MPI_Win win;
static unsigned* mine;       /* the own window */
static MPI_Aint next_begins; /* the displacement of the next rank's */
static MPI_Aint unit;        /* displacements are counted in */

/* What lies at place i of a rank's window before an operation. */
static inline unsigned old_value(int owner, size_t i) {
  return (unsigned)(round_now * 7919 + (uint64_t)owner * 104729 + i * 31);
}
static inline void write_window(void) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (size_t i = 0; i < window_ints; ++i) mine[i] = old_value(rank, i);
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
}

static inline void begin_epoch(int how) {
  if (how == by_fence) MPI_Win_fence(0, win);
  if (how == by_lock) MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, win);
  if (how == by_lock_all) MPI_Win_lock_all(0, win);
}
static inline void end_epoch(int how) {
  if (how == by_fence) MPI_Win_fence(0, win);
  if (how == by_lock) MPI_Win_unlock(next_rank, win);
  if (how == by_lock_all) MPI_Win_flush(next_rank, win), MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Number k of the data that a rank has in this round. */
static inline unsigned number_of(int owner, size_t k) {
  unsigned number;
  unsigned char data[sizeof number];
  for (size_t i = 0; i < sizeof number; ++i) data[i] = data_byte(key_of(owner), 4 * k + i);
  memcpy(&number, data, sizeof number);
  return number;
}

/* Where the first number of operations lies. */
static inline MPI_Aint place_in_next(void) {
  return next_begins + (MPI_Aint)sizeof(int) / unit;
}

/* ---- operations on many numbers ---- */

enum { to_put, to_get, to_add, to_get_and_add, to_read, to_replace, operations };
static const char* const operation_names[] = {"MPI_Put",
                                              "MPI_Get",
                                              "MPI_Accumulate",
                                              "MPI_Get_accumulate",
                                              "MPI_Get_accumulate of nothing",
                                              "MPI_Get_accumulate with MPI_REPLACE"};

static const size_t places[] = {3, 10, 0, 2, 6, 7}; /* in a target of gaps; 12 numbers each */

/* Where number k goes in the window. */
static inline size_t target_place(size_t k, int with_gaps) {
  return 1 + (with_gaps ? k / element_ints * 12 + places[k % element_ints] : k);
}
static inline MPI_Datatype gaps_type(void) {
  int displacements[element_ints];
  MPI_Datatype inner, type;
  for (int i = 0; i < element_ints; ++i) displacements[i] = (int)places[i];
  MPI_Type_create_indexed_block(element_ints, 1, displacements, MPI_UNSIGNED, &inner);
  MPI_Type_create_resized(inner, 0, 12 * sizeof(int), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&inner);
  return type;
}

static inline void operate(int operation, int with_request, int count, MPI_Datatype type) {
  const int to = next_rank;
  const MPI_Aint at = place_in_next();
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Op op = operation == to_read      ? MPI_NO_OP
                    : operation == to_replace ? MPI_REPLACE
                                              : MPI_SUM;
  if (operation == to_put)
    with_request ? MPI_Rput(OUT, to, at, count, type, win, &request)
                 : MPI_Put(OUT, to, at, count, type, win);
  else if (operation == to_get)
    with_request ? MPI_Rget(IN, to, at, count, type, win, &request)
                 : MPI_Get(IN, to, at, count, type, win);
  else if (operation == to_add)
    with_request ? MPI_Raccumulate(OUT, to, at, count, type, op, win, &request)
                 : MPI_Accumulate(OUT, to, at, count, type, op, win);
  else if (operation == to_read)
    with_request ? MPI_Rget_accumulate(NULL, 0, MPI_INT, IN, to, at, count, type, op, win, &request)
                 : MPI_Get_accumulate(NULL, 0, MPI_INT, IN, to, at, count, type, op, win);
  else
    with_request ? MPI_Rget_accumulate(OUT, IN, to, at, count, type, op, win, &request)
                 : MPI_Get_accumulate(OUT, IN, to, at, count, type, op, win);
  if (with_request) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static inline int has_result(int operation) {
  return operation == to_get || operation >= to_get_and_add;
}
static inline unsigned new_value(int operation, size_t place, unsigned number) {
  unsigned old = old_value(rank, place);
  if (operation == to_put || operation == to_replace) return number;
  return operation == to_add || operation == to_get_and_add ? old + number : old;
}

/* The number that the operation finds lies in the result. */
static inline void want_old_values(size_t numbers, int with_gaps) {
  for (size_t k = 0; k < numbers; ++k) {
    unsigned old = old_value(next_rank, target_place(k, with_gaps));
    for (size_t i = 0; i < sizeof old; ++i)
      in.wanted[in.begin + place_of(in.layout, 4 * k + i)] = (unsigned char)(old >> (8 * i));
  }
}

static inline void check_window(int operation, size_t numbers, int with_gaps) {
  unsigned* wanted = malloc(window_ints * sizeof *wanted);
  for (size_t i = 0; i < window_ints; ++i) wanted[i] = old_value(rank, i);
  for (size_t k = 0; k < numbers; ++k) {
    size_t place = target_place(k, with_gaps);
    wanted[place] = new_value(operation, place, number_of(previous_rank, k));
  }
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  HELD(memcmp(wanted, mine, window_ints * sizeof *wanted) == 0);
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  free(wanted);
}

/* `where`: 1 the origin is opaque, 2 the result, 3 both. */
static inline void try_operation(int operation, int layout, size_t numbers, int with_gaps,
                                 int where, int how) {
  const int with_request = how != by_fence && numbers % 4 == 0;
  MPI_Datatype type = with_gaps ? gaps_type() : MPI_UNSIGNED;
  trying("%s%s, %zu numbers, %s (%s, result %s), %s there, synchronized by %s",
         operation_names[operation], with_request ? " with a request" : "", numbers,
         layout_names[layout], where & 1 ? "opaque" : "host", where & 2 ? "opaque" : "host",
         with_gaps ? "gaps" : "no gaps", synchronization_names[how]);
  out = make_buffer(layout, numbers * sizeof(int), where & 1);
  in = make_buffer(layout, numbers * sizeof(int), where >> 1);
  ++round_now;
  fill(&out, key_of(rank));
  wipe(&in);
  if (has_result(operation)) want_old_values(numbers, with_gaps);
  write_window();
  begin_epoch(how);
  operate(operation, with_request, with_gaps ? (int)(numbers / element_ints) : (int)numbers, type);
  end_epoch(how);
  check_both();
  check_window(operation, numbers, with_gaps);
  free_buffer(&out), free_buffer(&in);
  if (with_gaps) MPI_Type_free(&type);
}

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
