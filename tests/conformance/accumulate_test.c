/* Accumulates: every predefined operation on every predefined datatype that the standard defines it
 * for, in all calls, on aligned and misaligned memory, of one and of many elements, compared with
 * MPI_Reduce_local. usage: accumulate_test [required] [kind of window ...] */
#include "accumulate_types.h"
#include "window_kinds.h"

enum { most = 5000, widest = 32, window_bytes = 2 * most * widest + 4096 };

static Window w;

#define HELD(condition, c)                                                                    \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr,                                                                         \
              "%s:%d: rank %d of %d: %s window, %s on %d of %s at %ld by %s: not so: %s\n",   \
              __FILE__, __LINE__, rank, size, kind_names[w.kind], (c)->operation->name,       \
              (c)->count, (c)->type->name, (long)(c)->at, call_names[(c)->call], #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                           \
    }                                                                                         \
  } while (0)

typedef enum { plain, fetching, single, spread, call_count } Call;
static const char* const call_names[] = {"MPI_Accumulate", "MPI_Get_accumulate", "MPI_Fetch_and_op",
                                         "MPI_Get_accumulate of a vector"};

typedef struct {
  const Type* type;
  const Operation* operation;
  Call call;
  int count;
  MPI_Aint at, extent;
  uint64_t seed;
} Case;

static void copy_bytes(int out, void* bytes, MPI_Aint count, MPI_Aint from) {
  int target = (rank + 1) % size;
  MPI_Aint there = place(&w, target, from);
  if (out)
    MPI_Put(bytes, (int)count, MPI_BYTE, target, there, (int)count, MPI_BYTE, w.win);
  else
    MPI_Get(bytes, (int)count, MPI_BYTE, target, there, (int)count, MPI_BYTE, w.win);
  MPI_Win_flush(target, w.win);
}

static void issue(const Case* c, const void* origin, void* result) {
  int target = (rank + 1) % size;
  MPI_Aint there = place(&w, target, c->at);
  MPI_Datatype type = c->type->type, vector;
  MPI_Op op = c->operation->op;
  if (c->call == plain) {
    MPI_Accumulate(origin, c->count, type, target, there, c->count, type, op, w.win);
  } else if (c->call == fetching) {
    MPI_Get_accumulate(origin, c->count, type, result, c->count, type, target, there, c->count,
                       type, op, w.win);
  } else if (c->call == single) {
    MPI_Fetch_and_op(origin, result, type, target, there, op, w.win);
  } else {
    MPI_Type_vector(c->count, 1, 2, type, &vector);
    MPI_Type_commit(&vector);
    MPI_Get_accumulate(origin, c->count, type, result, c->count, type, target, there, 1, vector, op,
                       w.win);
    MPI_Type_free(&vector);
  }
  MPI_Win_flush(target, w.win);
}

/* One call, on memory that this rank alone fills and reads. */
static void compare_with_reduce_local(const Case* c) {
  static unsigned char origin[most * widest], result[most * widest], before[2 * most * widest],
      now[2 * most * widest + 64];
  static unsigned char wanted[most * widest];
  const Type* t = c->type;
  MPI_Op op = c->operation->op;
  int step = c->call == spread ? 2 : 1;
  MPI_Aint extent = c->extent, bytes = step * c->count * extent;
  give(t, op, c->seed, c->count, extent, origin);
  give(t, op, c->seed + 99, step * c->count, extent, before);
  for (int i = 0; i < c->count; ++i)
    memcpy(wanted + i * extent, before + step * i * extent, (size_t)extent);
  if (op == MPI_REPLACE)
    memcpy(wanted, origin, (size_t)(c->count * extent));
  else if (op != MPI_NO_OP)
    MPI_Reduce_local(origin, wanted, c->count, t->type, op);
  memset(result, 0x99, (size_t)(c->count * extent));
  memcpy(now, before, (size_t)bytes);
  memset(now + bytes, 0xc3, 16);
  copy_bytes(1, now, bytes + 16, c->at);
  issue(c, op == MPI_NO_OP && c->count % 2 ? NULL : origin, result);
  copy_bytes(0, now, bytes + 16, c->at);
  for (int i = 0; i < step * c->count; ++i) {
    const unsigned char* expected = i % step ? before + i * extent : wanted + i / step * extent;
    HELD(same_element(t, now + i * extent, expected), c);
  }
  for (int i = 0; i < 16; ++i) HELD(now[bytes + i] == 0xc3, c);
  if (c->call == plain) return;
  for (int i = 0; i < c->count; ++i)
    HELD(same_element(t, result + i * extent, before + step * i * extent), c);
}

static int only_required; /* types that an implementation may lack are left out */

/* Such a type has no size, or an error comes. */
static int is_there(const Type* t, MPI_Aint* extent) {
  int bytes = 0;
  MPI_Aint lower;
  if (!t->optional) {
    MPI_Type_get_extent(t->type, &lower, extent);
    return 1;
  }
  if (only_required) return 0;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int code = MPI_Type_size(t->type, &bytes);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (code != MPI_SUCCESS || bytes <= 0) return 0;
  MPI_Type_get_extent(t->type, &lower, extent);
  return bytes == t->bytes + t->second_bytes;
}

static int kinds_named; /* on the command line: then each kind has everything */

/* Of the kinds whose memory takes long to reach one has the even pairs of a type and an operation,
 * the other one the odd ones. */
static int has_turn(int number) {
  if (kinds_named || w.kind == allocated) return 1;
  if (w.kind == created || w.kind == dynamic) return number % 2 == (w.kind == dynamic);
  return number % 3 == (int)w.kind % 3;
}

/* Long ones by one call each, others by several; a single element by all. */
static int is_called(Call call, int count, MPI_Op op, int number) {
  if (call == plain && op == MPI_NO_OP) return 0;
  if (count == 1) return 1;
  if (call == single) return 0;
  if (count == 3) return (number + (int)call) % 2;
  return number % (kinds_named || count < most ? 4 : 12) == (int)call;
}

static void operations_do_what_they_do_elsewhere(void) {
  static const int counts[] = {1, 3, 20, most};
  static const MPI_Aint places_of[] = {64, 65, 67, 70, 128 + 4, 64};
  int types, operations, number = 0;
  const Type* type = all_types(&types);
  const Operation* operation = all_operations(&operations);
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < types; ++i) {
    Case c = {.type = &type[i]};
    if (!is_there(c.type, &c.extent)) continue;
    for (int k = 0; k < operations; ++k) {
      if (!(operation[k].groups & c.type->group) || !has_turn(++number)) continue;
      c.operation = &operation[k];
      for (int n = 0; n < 4; ++n)
        for (int call = 0; call < call_count; ++call) {
          c.call = (Call)call, c.count = counts[n];
          if (!is_called(c.call, c.count, c.operation->op, number + n)) continue;
          c.at = places_of[(number + n + call) % 6];
          c.seed = (uint64_t)(number * 1000 + n * 10 + call + rank * 7);
          compare_with_reduce_local(&c);
        }
    }
  }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void compare_and_swap_swaps_or_not(void) {
  static const MPI_Aint places_of[] = {64, 67, 72, 77};
  const Operation as_bits = {"MPI_Compare_and_swap", MPI_BXOR, 0};
  int types;
  const Type* type = all_types(&types);
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < types; ++i) {
    Case c = {.type = &type[i], .operation = &as_bits, .count = 1};
    if (!(c.type->group & (integers | logical | byte_type))) continue;
    if (!is_there(c.type, &c.extent)) continue;
    for (int round = 0; round < 8; ++round) {
      unsigned char old[16], new[16], compare[16], result[16], now[16];
      int target = (rank + 1) % size;
      c.at = places_of[round / 2];
      give(c.type, MPI_BXOR, (uint64_t)round, 1, c.extent, old);
      give(c.type, MPI_BXOR, (uint64_t)round + 10, 1, c.extent, new);
      memcpy(compare, old, sizeof old);
      if (round % 2) compare[c.extent - 1] ^= 1;
      memset(result, 0x77, sizeof result);
      copy_bytes(1, old, c.extent, c.at);
      MPI_Compare_and_swap(new, compare, result, c.type->type, target, place(&w, target, c.at),
                           w.win);
      MPI_Win_flush(target, w.win);
      copy_bytes(0, now, c.extent, c.at);
      HELD(memcmp(result, old, (size_t)c.extent) == 0, &c);
      HELD(memcmp(now, round % 2 ? old : new, (size_t)c.extent) == 0, &c);
    }
  }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void run(WindowKind kind) {
  w = make_window(kind, window_bytes, 1, MPI_COMM_WORLD);
  operations_do_what_they_do_elsewhere();
  compare_and_swap_swaps_or_not();
  free_window(&w);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int kind = 0; kind < kind_count; ++kind)
    kinds_named |= has_word(argc, argv, kind_names[kind]);
  only_required = has_word(argc, argv, "required");
  over_kinds(argc, argv, run);
  return finish();
}
