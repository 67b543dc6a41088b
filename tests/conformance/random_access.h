/* One random access to a window, and what it does in plain memory: the slow reference of
 * random_windows_test. Accesses that could meet in more than one way are told apart here. */
#ifndef RANDOM_ACCESS_H
#define RANDOM_ACCESS_H

#include "type_layout.h"
#include "window_kinds.h"

enum { part_max = 3000, ranks_max = 16 }; /* bytes of a rank's part */

typedef enum { put, get, accumulate, get_accumulate, fetch_op, swap, flush, flush_all } What;

/* One side's datatype. */
typedef struct {
  Tree tree;
  long count;
  Layout layout;
} Side;

typedef struct {
  What what;
  int origin, target, index;
  MPI_Aint at; /* in the target's part, in bytes */
  Side out, in, there;
  MPI_Op op;
  int number;                              /* bytes of one, of accumulates */
  unsigned char *sent, *compared, *wanted; /* in the places of `out`, as bytes, of `in` */
  unsigned char* got;
  int hot;          /* one of those that are made to meet */
  int large, asked; /* which form: of 64 bits, with a request */
  MPI_Request request;
} Access;

static inline int is_accumulate(What what) {
  return what >= accumulate && what <= swap;
}
static inline int has_result(What what) {
  return what == get || (what >= get_accumulate && what <= swap);
}

static long hot_basic, hot_op; /* of this phase */

/* ---- datatypes --------------------------------------------------------------------------------
 */

static inline Side make_side(Tree tree, long count) {
  Side side = {tree, count, lay_out(&tree.map, count)};
  int combiner;
  MPI_Count i, a, c, d;
  MPI_Type_get_envelope_c(tree.type, &i, &a, &c, &d, &combiner);
  if (combiner != MPI_COMBINER_NAMED) MPI_Type_commit(&side.tree.type);
  return side;
}
static inline void free_side(Side* side) {
  if (!side->layout.places) return;
  free_tree(&side->tree);
  free(side->layout.places);
  side->layout.places = NULL;
}
static inline size_t space_of(const Side* side) {
  return (size_t)(side->layout.high - side->layout.low) + 1;
}
static inline void* address(const Side* side, unsigned char* data) {
  return (void*)((uintptr_t)data - (uintptr_t)side->layout.low);
}

/* Accumulates compute with unsigned numbers, which wrap around. */
static inline void name_numbers(int as_unsigned) {
  basics[0].handle = as_unsigned ? MPI_UINT8_T : MPI_BYTE;
  basics[1].handle = as_unsigned ? MPI_UINT16_T : MPI_SHORT;
  basics[2].handle = as_unsigned ? MPI_UINT32_T : MPI_INT;
  basics[4].handle = as_unsigned ? MPI_UINT64_T : MPI_LONG_LONG;
}

static inline Side side_of_numbers(int basic, int count, int plain) {
  Tree one = {basics[basic].handle, {0}};
  add_entry(&one.map, 0, basic);
  if (plain) return make_side(one, count);
  Tree spread = other_layout(&one.map, count);
  free_tree(&one);
  return make_side(spread, 1);
}

static inline void give_numbers(Access* a) {
  static const int usable[] = {0, 1, 2, 4};
  int basic = usable[a->hot ? hot_basic : between(0, 3)];
  int one = a->what == fetch_op || a->what == swap, count = one ? 1 : (int)between(0, 30);
  name_numbers(1);
  a->number = basics[basic].size;
  a->out = side_of_numbers(basic, count, one || flip());
  a->in = side_of_numbers(basic, count, one || flip());
  a->there = side_of_numbers(basic, count, one || a->hot || flip());
  name_numbers(0);
}

/* With this, types that the MPI at hand packs wrongly take no part: random_types is about those. */
static int only_packable;

static inline int packs_rightly(const Side* side) {
  enum { margin = 8 * part_max }; /* for what goes astray */
  static unsigned char data[3 * margin], back[3 * margin], packed[margin];
  unsigned char *from = address(side, data + margin), *to = address(side, back + margin);
  int end = 0, bytes = (int)side->layout.bytes, right;
  fill_bytes(data, sizeof data, 1);
  fill_bytes(back, sizeof back, 2);
  MPI_Pack(from, (int)side->count, side->tree.type, packed, margin, &end, MPI_COMM_SELF);
  right = end == bytes;
  for (int i = 0; i < bytes; ++i) right &= packed[i] == from[side->layout.places[i]];
  if (overlaps(&side->layout)) return right;
  end = 0;
  MPI_Unpack(packed, bytes, &end, to, (int)side->count, side->tree.type, MPI_COMM_SELF);
  for (int i = 0; i < bytes; ++i) {
    right &= packed[i] == to[side->layout.places[i]];
    to[side->layout.places[i]] = byte_at((size_t)(to + side->layout.places[i] - back), 2);
  }
  return right && bytes_are(back, sizeof back, 2);
}

/* False if what came out is of no use. */
static inline int give_any_types(Access* a) {
  Tree tree = random_tree((int)between(0, 3));
  long bytes = map_bytes(&tree.map), count = between(0, bytes ? 400 / bytes + flip() : 2);
  MPI_Aint span = true_upper(&tree.map) - true_lower(&tree.map), step = extent(&tree.map);
  if (span < 0 || span > 2 * part_max || step > part_max || step < -part_max || bytes > part_max) {
    free_tree(&tree);
    return 0;
  }
  Side first = make_side(tree, count), second = make_side(other_layout(&tree.map, count), 1);
  int swapped = flip();
  a->there = swapped ? first : second;
  *(a->what == put ? &a->out : &a->in) = swapped ? second : first;
  if (space_of(&first) > 2 * part_max || space_of(&second) > 2 * part_max) return 0;
  if (only_packable && !(packs_rightly(&first) && packs_rightly(&second))) return 0;
  return !overlaps(&first.layout) || (a->what == put && !swapped);
}

/* ---- in plain memory --------------------------------------------------------------------------
 */

static inline uint64_t load_number(const unsigned char* data, const Side* side, long i, int bytes) {
  uint64_t number = 0;
  for (int b = 0; b < bytes; ++b)
    number |= (uint64_t)data[side->layout.places[i * bytes + b]] << 8 * b;
  return number;
}
static inline void store_number(unsigned char* data, const Side* side, long i, int bytes,
                                uint64_t number) {
  for (int b = 0; b < bytes; ++b)
    data[side->layout.places[i * bytes + b]] = (unsigned char)(number >> 8 * b);
}

static inline uint64_t combined(MPI_Op op, uint64_t old, uint64_t given) {
  if (op == MPI_SUM) return old + given;
  if (op == MPI_PROD) return old * given;
  if (op == MPI_MAX) return old > given ? old : given;
  if (op == MPI_MIN) return old < given ? old : given;
  if (op == MPI_BAND) return old & given;
  if (op == MPI_BOR) return old | given;
  if (op == MPI_BXOR) return old ^ given;
  return op == MPI_REPLACE ? given : old;
}

/* Runs on the target's part; the origin's memory is what it has at the beginning. */
static inline void run_in_plain_memory(Access* a, unsigned char* part) {
  unsigned char *there = part + a->at, *sent = a->sent, *wanted = a->wanted;
  if (a->out.layout.places) sent = address(&a->out, sent);
  if (a->in.layout.places) wanted = address(&a->in, wanted);
  if (!is_accumulate(a->what)) {
    for (long i = 0; i < a->there.layout.bytes; ++i)
      if (a->what == put)
        there[a->there.layout.places[i]] = sent[a->out.layout.places[i]];
      else
        wanted[a->in.layout.places[i]] = there[a->there.layout.places[i]];
    return;
  }
  for (long i = 0; i < a->there.layout.bytes / a->number; ++i) {
    uint64_t old = load_number(there, &a->there, i, a->number);
    uint64_t given = load_number(sent, &a->out, i, a->number), compared = 0;
    if (has_result(a->what)) store_number(wanted, &a->in, i, a->number, old);
    memcpy(&compared, a->compared, (size_t)a->number);
    if (a->what == swap)
      given = compared == old ? given : old;
    else
      given = combined(a->op, old, given);
    store_number(there, &a->there, i, a->number, given);
  }
}

/* ---- what may meet ----------------------------------------------------------------------------
 */

typedef enum { untouched, read_only, written, accumulated } Use;

/* What a byte of the target has been used for in this phase. */
typedef struct {
  Use use;
  int origin, order; /* -1: several; how many flushes of that origin came before */
  MPI_Op op;
  int result, number;
  int closed; /* to other origins: this one has used it in several ways */
  MPI_Aint element;
} Mark;

static inline Mark mark_of(const Access* a, int order, long byte) {
  Mark m = {.origin = a->origin, .order = order, .op = MPI_OP_NULL};
  m.use = a->what == put ? written : a->what == get ? read_only : accumulated;
  if (!is_accumulate(a->what)) return m;
  m.number = a->number;
  m.element = a->at + a->there.layout.places[byte - byte % a->number];
  m.op = a->what == swap ? MPI_OP_NULL : a->op;
  m.result = has_result(a->what);
  return m;
}

static inline int may_meet(const Mark* old, const Mark* new) {
  if (old->use == untouched) return 1;
  int same_origin = old->origin == new->origin;
  if (same_origin && old->order < new->order) return 1; /* the one is over */
  if (!same_origin && old->closed) return 0;
  if (old->use == read_only && new->use == read_only) return 1;
  if (old->use != accumulated || new->use != accumulated) return 0;
  if (old->element != new->element || old->number != new->number) return 0;
  if (same_origin) return 1; /* in the order of the program */
  if (old->op != new->op) return 0;
  return old->op == MPI_NO_OP ||
         (!old->result && !new->result && old->op != MPI_REPLACE && old->op != MPI_OP_NULL);
}

/* Notes the access, unless it could meet another one in more than one way. */
static inline int noted(const Access* a, int order, Mark* marks) {
  const Layout* l = &a->there.layout;
  for (long i = 0; i < l->bytes; ++i) {
    Mark m = mark_of(a, order, i);
    if (!may_meet(&marks[a->at + l->places[i]], &m)) return 0;
  }
  for (long i = 0; i < l->bytes; ++i) {
    Mark m = mark_of(a, order, i), *old = &marks[a->at + l->places[i]];
    if (old->use != untouched) {
      int alike = old->use == m.use && old->op == m.op && old->order == m.order;
      m.closed = old->closed || (old->origin == m.origin && !alike);
      m.result |= old->result;
      if (old->origin != m.origin) m.origin = -1;
    }
    *old = m;
  }
  return 1;
}

#endif
