/* Ways to lay out numbers in memory, and what an operation does to them there: one_sided_test tries
 * each way on both sides. */
#ifndef ONE_SIDED_LAYOUTS_H
#define ONE_SIDED_LAYOUTS_H

#include "window_kinds.h"

enum { numbers_max = 5000, layout_count = 6, ints_max = 3 * numbers_max + 8 };

typedef struct {
  MPI_Datatype type;
  int count;   /* elements of the type */
  int numbers; /* in all of them */
  int* places; /* of each number, in ints */
  int ints;    /* up to the last one's end */
} Layout;

static inline Layout begin_layout(int numbers) {
  Layout l = {MPI_INT, numbers, numbers, malloc(((size_t)numbers + 1) * sizeof(int)), 0};
  return l;
}

/* Blocks of one to three, those of odd number in falling order behind the others. */
static inline void block_layout(Layout* l, int as_struct) {
  int n = l->numbers, blocks = 0, up = 1, down = 3 * n + 4;
  int* lengths = malloc(((size_t)n + 1) * sizeof(int));
  int* starts = malloc(((size_t)n + 1) * sizeof(int));
  MPI_Aint* bytes = malloc(((size_t)n + 1) * sizeof(MPI_Aint));
  MPI_Datatype* types = malloc(((size_t)n + 1) * sizeof(MPI_Datatype));
  for (int i = 0; i < n; ++blocks) {
    int length = 1 + blocks % 3;
    if (length > n - i) length = n - i;
    lengths[blocks] = length;
    types[blocks] = MPI_INT;
    if (blocks % 2 == 0) {
      starts[blocks] = up;
      up += length + blocks % 4 / 2;
    } else {
      down -= length;
      starts[blocks] = down;
    }
    bytes[blocks] = 4 * (MPI_Aint)starts[blocks];
    for (int k = 0; k < length; ++k) l->places[i++] = starts[blocks] + k;
  }
  if (as_struct)
    MPI_Type_create_struct(blocks, lengths, bytes, types, &l->type);
  else
    MPI_Type_indexed(blocks, lengths, starts, MPI_INT, &l->type);
  l->count = 1;
  free(lengths), free(starts), free(bytes), free(types);
}

static inline Layout make_layout(int which, int numbers) {
  Layout l = begin_layout(numbers);
  int sizes[2] = {numbers, 3}, parts[2] = {numbers, 1}, starts[2] = {0, 1};
  static const int steps[layout_count] = {1, 2, 0, 0, 3, 3};
  for (int i = 0; i < numbers; ++i) l.places[i] = steps[which] * i + (which == 5);
  switch (numbers > 0 ? which : 0) {
    case 1:
      MPI_Type_vector(numbers, 1, 2, MPI_INT, &l.type);
      l.count = 1;
      break;
    case 2:
    case 3:
      block_layout(&l, which == 3);
      break;
    case 4:
      MPI_Type_create_resized(MPI_INT, 0, 12, &l.type);
      break;
    case 5:
      MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &l.type);
      l.count = 1;
      break;
  }
  if (l.type != MPI_INT) MPI_Type_commit(&l.type);
  for (int i = 0; i < numbers; ++i)
    if (l.places[i] >= l.ints) l.ints = l.places[i] + 1;
  CHECK(l.ints <= ints_max);
  return l;
}

static inline void free_layout(Layout* l) {
  if (l->type != MPI_INT) MPI_Type_free(&l->type);
  free(l->places);
}

/* ---- operations -------------------------------------------------------------------------------
 */

typedef enum {
  op_put,
  op_get,
  op_add,
  op_replace,
  op_get_and_add,
  op_get_and_max,
  op_only_get,
  op_fetch_and_add,
  op_fetch_and_replace,
  op_swap,
  op_no_swap,
  op_rput,
  op_rget,
  op_radd,
  op_rget_and_add,
  op_count
} Operation;

static inline int has_request(Operation op) {
  return op >= op_rput;
}
static inline int of_one_number(Operation op) {
  return op >= op_fetch_and_add && op <= op_no_swap;
}
static inline int only_reads(Operation op) {
  return op == op_get || op == op_only_get || op == op_no_swap || op == op_rget;
}
static inline int has_result(Operation op) {
  return op != op_put && op != op_add && op != op_replace && op != op_rput && op != op_radd;
}

/* One operation; everyone can tell what it does. */
typedef struct {
  Operation op;
  int numbers, key;
  int origin_layout, result_layout, target_layout;
  MPI_Aint at; /* where in the target, in bytes */
} Transfer;

/* What the origin gives, and what was in the target. */
static inline int given(const Transfer* t, int origin, int i) {
  return t->key * 7919 + origin * 1013 + i * 3 + 1;
}
static inline int initial(int key, int target, int place_) {
  return key * 104729 - target * 509 + place_ * 5;
}

static inline int after(const Transfer* t, int origin, int target, int i, int place_) {
  int before = initial(t->key, target, place_), number = given(t, origin, i);
  switch (t->op) {
    case op_put:
    case op_rput:
    case op_replace:
    case op_fetch_and_replace:
    case op_swap:
      return number;
    case op_add:
    case op_radd:
    case op_get_and_add:
    case op_rget_and_add:
    case op_fetch_and_add:
      return before + number;
    case op_get_and_max:
      return before > number ? before : number;
    default:
      return before;
  }
}

#endif
