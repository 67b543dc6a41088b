/* One-sided operations: all of them in epochs of all kinds, on all kinds of windows, with derived
 * types on both sides, of many sizes. usage:
 * one_sided_test [unasserted] [kind of window ...] */
#include <stddef.h>

#include "one_sided_epochs.h"

/* ---- one transfer -----------------------------------------------------------------------------
 */

#define HELD(condition, t, target)                                                              \
  do {                                                                                          \
    if (!(condition)) {                                                                         \
      fprintf(stderr,                                                                           \
              "%s:%d: rank %d of %d: %s window, %s: operation %d of %d numbers, key %d, "       \
              "target %d: not so: %s\n",                                                        \
              __FILE__, __LINE__, rank, size, kind_names[w.kind], where, (t)->op, (t)->numbers, \
              (t)->key, target, #condition);                                                    \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                             \
    }                                                                                           \
  } while (0)

static const char* where = ""; /* for messages */

/* The origin's side of a transfer. */
typedef struct {
  Transfer t;
  int target;
  Layout origin, result, target_side;
  int *out, *in;
  MPI_Request request;
} Side;

static int old_result(int key, int i) {
  return key - 77 * i;
}

static Side prepare(const Transfer* t, int target) {
  Side s = {.t = *t, .target = target, .request = MPI_REQUEST_NULL};
  s.origin = make_layout(t->origin_layout, t->numbers);
  s.result = make_layout(t->result_layout, t->numbers);
  s.target_side = make_layout(t->target_layout, t->numbers);
  s.out = malloc(((size_t)s.origin.ints + 1) * sizeof(int));
  s.in = malloc(((size_t)s.result.ints + 1) * sizeof(int));
  for (int i = 0; i <= s.origin.ints; ++i) s.out[i] = -1 - i;
  for (int i = 0; i < t->numbers; ++i) s.out[s.origin.places[i]] = given(t, rank, i);
  for (int i = 0; i <= s.result.ints; ++i) s.in[i] = old_result(t->key, i);
  return s;
}

static void issue_large(Side* s, MPI_Aint at) {
  const Layout *o = &s->origin, *r = &s->result, *t = &s->target_side;
  MPI_Op op = s->t.op == op_replace       ? MPI_REPLACE
              : s->t.op == op_only_get    ? MPI_NO_OP
              : s->t.op == op_get_and_max ? MPI_MAX
                                          : MPI_SUM;
  if (s->t.op == op_put)
    MPI_Put_c(s->out, o->count, o->type, s->target, at, t->count, t->type, w.win);
  else if (s->t.op == op_get)
    MPI_Get_c(s->in, r->count, r->type, s->target, at, t->count, t->type, w.win);
  else if (s->t.op == op_add || s->t.op == op_replace)
    MPI_Accumulate_c(s->out, o->count, o->type, s->target, at, t->count, t->type, op, w.win);
  else if (s->t.op == op_rput)
    MPI_Rput_c(s->out, o->count, o->type, s->target, at, t->count, t->type, w.win, &s->request);
  else if (s->t.op == op_rget)
    MPI_Rget_c(s->in, r->count, r->type, s->target, at, t->count, t->type, w.win, &s->request);
  else if (s->t.op == op_radd)
    MPI_Raccumulate_c(s->out, o->count, o->type, s->target, at, t->count, t->type, op, w.win,
                      &s->request);
  else if (s->t.op == op_rget_and_add)
    MPI_Rget_accumulate_c(s->out, o->count, o->type, s->in, r->count, r->type, s->target, at,
                          t->count, t->type, op, w.win, &s->request);
  else
    MPI_Get_accumulate_c(s->out, o->count, o->type, s->in, r->count, r->type, s->target, at,
                         t->count, t->type, op, w.win);
}

static void issue_small(Side* s, MPI_Aint at) {
  const Layout *o = &s->origin, *r = &s->result, *t = &s->target_side;
  int compare = initial(s->t.key, s->target, 0) + (s->t.op == op_no_swap);
  switch (s->t.op) {
    case op_put:
      MPI_Put(s->out, o->count, o->type, s->target, at, t->count, t->type, w.win);
      break;
    case op_get:
      MPI_Get(s->in, r->count, r->type, s->target, at, t->count, t->type, w.win);
      break;
    case op_add:
    case op_replace:
      MPI_Accumulate(s->out, o->count, o->type, s->target, at, t->count, t->type,
                     s->t.op == op_add ? MPI_SUM : MPI_REPLACE, w.win);
      break;
    case op_get_and_add:
    case op_get_and_max:
      MPI_Get_accumulate(s->out, o->count, o->type, s->in, r->count, r->type, s->target, at,
                         t->count, t->type, s->t.op == op_get_and_add ? MPI_SUM : MPI_MAX, w.win);
      break;
    case op_only_get: /* the origin's buffer is not looked at */
      MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, s->in, r->count, r->type, s->target, at,
                         t->count, t->type, MPI_NO_OP, w.win);
      break;
    case op_fetch_and_add:
      MPI_Fetch_and_op(s->out, s->in, MPI_INT, s->target, at, MPI_SUM, w.win);
      break;
    case op_fetch_and_replace:
      MPI_Fetch_and_op(s->out, s->in, MPI_INT, s->target, at, MPI_REPLACE, w.win);
      break;
    case op_swap:
    case op_no_swap:
      s->out[1] = compare;
      MPI_Compare_and_swap(s->out, s->out + 1, s->in, MPI_INT, s->target, at, w.win);
      break;
    case op_rput:
      MPI_Rput(s->out, o->count, o->type, s->target, at, t->count, t->type, w.win, &s->request);
      break;
    case op_rget:
      MPI_Rget(s->in, r->count, r->type, s->target, at, t->count, t->type, w.win, &s->request);
      break;
    case op_radd:
      MPI_Raccumulate(s->out, o->count, o->type, s->target, at, t->count, t->type, MPI_SUM, w.win,
                      &s->request);
      break;
    default:
      MPI_Rget_accumulate(s->out, o->count, o->type, s->in, r->count, r->type, s->target, at,
                          t->count, t->type, MPI_SUM, w.win, &s->request);
  }
}

static void issue(Side* s) {
  MPI_Aint at = s->target == MPI_PROC_NULL ? 0 : place(&w, s->target, s->t.at);
  if (s->t.key % 2 && !of_one_number(s->t.op))
    issue_large(s, at);
  else
    issue_small(s, at);
}

/* The request tells that the origin's buffers are done with. */
static void complete_request(Side* s) {
  if (!has_request(s->t.op)) return;
  int over = 0;
  if (s->t.key % 3 == 0)
    while (!over) MPI_Test(&s->request, &over, MPI_STATUS_IGNORE);
  else
    MPI_Wait(&s->request, MPI_STATUS_IGNORE);
  HELD(s->request == MPI_REQUEST_NULL, &s->t, s->target);
}

static void check_result(const Side* s) {
  int* wanted = malloc(((size_t)s->result.ints + 1) * sizeof(int));
  for (int i = 0; i <= s->result.ints; ++i) wanted[i] = old_result(s->t.key, i);
  if (has_result(s->t.op) && s->target != MPI_PROC_NULL)
    for (int i = 0; i < s->t.numbers; ++i)
      wanted[s->result.places[i]] = initial(s->t.key, s->target, s->target_side.places[i]);
  for (int i = 0; i <= s->result.ints; ++i) HELD(s->in[i] == wanted[i], &s->t, s->target);
  free(wanted);
}

static void release(Side* s) {
  free_layout(&s->origin), free_layout(&s->result), free_layout(&s->target_side);
  free(s->out), free(s->in);
}

/* ---- every operation in every epoch ------------------------------------------------------------
 */

/* What is around it must stay, too. */
enum { around = 9 };

static void fill_own_part(const Transfer* t, int ints) {
  begin_local(&w);
  for (int i = 0; i < ints + around; ++i) {
    int number = initial(t->key, rank, i);
    memcpy(w.base + t->at + 4 * i, &number, sizeof number);
  }
  end_local(&w);
}

static void check_own_part(const Transfer* t, const Layout* l, int source) {
  static int wanted[ints_max + around];
  size_t ints = (size_t)l->ints + around;
  for (int i = 0; i < (int)ints; ++i) wanted[i] = initial(t->key, rank, i);
  for (int i = 0; i < t->numbers; ++i)
    wanted[l->places[i]] = after(t, source, rank, i, l->places[i]);
  HELD(memcmp(wanted, w.base + t->at, ints * sizeof wanted[0]) == 0, t, rank);
}

static void in_one_epoch(const Epoch* epoch, const Transfer* t, int shift) {
  int target = (rank + shift) % size, source = (rank + size - shift) % size;
  where = epoch->name, current = t->op;
  Side s = prepare(t, target);
  fill_own_part(t, s.target_side.ints);
  if (epoch->passive) MPI_Barrier(MPI_COMM_WORLD);
  epoch->open(target, source);
  issue(&s);
  complete_request(&s);
  if (has_request(t->op)) check_result(&s);
  if (epoch->settle) {
    epoch->settle(target);
    check_result(&s);
    for (int i = 0; i < t->numbers; ++i) s.out[s.origin.places[i]] = 0; /* it is ours again */
  }
  epoch->close(target);
  check_result(&s);
  if (epoch->passive) {
    MPI_Barrier(MPI_COMM_WORLD);
    begin_local(&w);
  }
  check_own_part(t, &s.target_side, source);
  if (epoch->passive) end_local(&w);
  release(&s);
  where = "";
}

static void every_operation_works_in_every_epoch(void) {
  static const int sizes[] = {1, 3, 16, 100, 0, 1000, 2, numbers_max};
  const int shifts[] = {1, 0, size - 1};
  for (int op = 0, key = (int)w.kind; op < op_count; ++op)
    for (int e = 0; e < epoch_count; ++e, ++key) {
      if (has_request((Operation)op) && !epochs[e].passive) continue;
      Transfer t = {.op = (Operation)op, .key = key, .numbers = 1, .at = 64 * (key % 5)};
      if (!of_one_number((Operation)op)) {
        t.numbers = sizes[key % 8];
        t.origin_layout = key / 3 % layout_count;
        t.result_layout = key / 5 % layout_count;
        t.target_layout = key % layout_count;
      }
      in_one_epoch(&epochs[e], &t, size > 1 ? shifts[key % 3] : 0);
    }
  MPI_Barrier(MPI_COMM_WORLD); /* all have looked at their part */
}

/* ---- every layout on both sides ----------------------------------------------------------------
 */

/* The origin alone fills and reads the next rank's memory, with plain bytes. */
static void in_open_epoch(const Transfer* t, int target) {
  static int memory[ints_max], wanted[ints_max];
  Side s = prepare(t, target);
  int ints = s.target_side.ints + 1;
  for (int i = 0; i < ints; ++i) wanted[i] = initial(t->key, target, i);
  MPI_Put(wanted, 4 * ints, MPI_BYTE, target, place(&w, target, t->at), 4 * ints, MPI_BYTE, w.win);
  MPI_Win_flush(target, w.win);
  issue(&s);
  complete_request(&s);
  MPI_Win_flush(target, w.win);
  check_result(&s);
  for (int i = 0; i < t->numbers; ++i)
    wanted[s.target_side.places[i]] = after(t, rank, target, i, s.target_side.places[i]);
  MPI_Get(memory, 4 * ints, MPI_BYTE, target, place(&w, target, t->at), 4 * ints, MPI_BYTE, w.win);
  MPI_Win_flush(target, w.win);
  HELD(memcmp(memory, wanted, 4 * (size_t)ints) == 0, t, target);
  release(&s);
}

static void every_layout_meets_every_other(void) {
  static const int sizes[] = {1, 5, 40, 700};
  int key = 0;
  where = "layouts";
  MPI_Win_lock_all(0, w.win);
  for (int op = 0; op < op_count; ++op)
    for (int i = 0; i < layout_count * layout_count && !of_one_number((Operation)op); ++i) {
      Transfer t = {.op = (Operation)op, .key = ++key, .numbers = sizes[(i + op) % 4]};
      t.at = 16 * (i % 7);
      t.target_layout = i % layout_count;
      t.origin_layout = i / layout_count;
      t.result_layout = (t.origin_layout + i) % layout_count;
      in_open_epoch(&t, (rank + 1) % size);
    }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  where = "";
}

/* Members of several types, with gaps, the last one first. */
static void records_keep_their_members(void) {
  typedef struct {
    char letter;
    double real;
    short three[3];
    int number;
  } Record;
  enum { records = 10 };
  int lengths[] = {1, 3, 1, 1}, target = (rank + 1) % size, source = (rank + size - 1) % size;
  MPI_Aint places[] = {offsetof(Record, number), offsetof(Record, three), offsetof(Record, real),
                       offsetof(Record, letter)};
  MPI_Datatype types[] = {MPI_INT, MPI_SHORT, MPI_DOUBLE, MPI_CHAR}, members, record;
  Record out[records], in[records];
  MPI_Type_create_struct(4, lengths, places, types, &members);
  MPI_Type_create_resized(members, 0, sizeof(Record), &record);
  MPI_Type_commit(&record);
  MPI_Type_free(&members);
  for (int i = 0; i < records; ++i) {
    out[i] = (Record){(char)(rank + i), rank + i / 8.0, {(short)i, 7, (short)rank}, rank * i};
    in[i].number = -1;
  }
  begin_local(&w);
  memset(w.base, 0xee, 4096);
  end_local(&w);
  MPI_Win_fence(0, w.win);
  MPI_Put(out, records, record, target, place(&w, target, 0), records, record, w.win);
  MPI_Win_fence(0, w.win);
  MPI_Get(in, records, record, target, place(&w, target, 0), records, record, w.win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
  for (int i = 0; i < records; ++i) {
    Record there;
    memcpy(&there, w.base + sizeof there * (size_t)i, sizeof there);
    CHECK(in[i].letter == out[i].letter && in[i].real == out[i].real);
    CHECK(memcmp(in[i].three, out[i].three, sizeof in[i].three) == 0);
    CHECK(in[i].number == out[i].number);
    CHECK(there.letter == (char)(source + i) && there.real == source + i / 8.0);
    CHECK(there.three[0] == i && there.three[2] == source && there.number == source * i);
    CHECK(w.base[sizeof there * (size_t)i + 1] == 0xee);
  }
  MPI_Type_free(&record);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- sizes ------------------------------------------------------------------------------------
 */

static void bytes_arrive_at_any_size(void) {
  static const int sizes[] = {1,      2,      3,      7,      8,      9,       15,     16,
                              17,     31,     32,     33,     63,     64,      65,     127,
                              128,    255,    256,    1000,   2048,   4095,    4096,   4097,
                              8191,   8192,   16384,  16385,  32768,  65536,   65537,  100000,
                              131072, 200001, 262144, 500000, 524288, 1000000, 1048576};
  unsigned char *out = malloc(1 << 20), *in = malloc(1 << 20);
  int target = (rank + 1) % size, source = (rank + size - 1) % size;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    int bytes = sizes[i], at = (int)i % 9 * (w.units[target] > 1 ? 8 : 7);
    uint64_t key = i * 100;
    fill_bytes(out, (size_t)bytes, key + (uint64_t)rank);
    memset(in, 0, (size_t)bytes);
    begin_local(&w);
    memset(w.base + at, 0xab, (size_t)bytes + 1);
    end_local(&w);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win);
    MPI_Put(out, bytes, MPI_BYTE, target, place(&w, target, at), bytes, MPI_BYTE, w.win);
    MPI_Win_flush(target, w.win);
    MPI_Get(in, bytes, MPI_BYTE, target, place(&w, target, at), bytes, MPI_BYTE, w.win);
    MPI_Win_unlock(target, w.win);
    CHECK(memcmp(in, out, (size_t)bytes) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    begin_local(&w);
    CHECK(bytes_are(w.base + at, (size_t)bytes, key + (uint64_t)source));
    CHECK(w.base[at + bytes] == 0xab);
    end_local(&w);
  }
  free(out), free(in);
}

/* ---- nobody, nothing --------------------------------------------------------------------------
 */

static void nobody_is_a_target(void) {
  for (int op = 0; op < op_count; ++op)
    for (int e = 0; e < epoch_count; ++e) {
      if (has_request((Operation)op) && !epochs[e].passive) continue;
      Transfer t = {.op = (Operation)op, .key = e, .numbers = of_one_number((Operation)op) ? 1 : 9};
      where = epochs[e].name, current = (Operation)op;
      Side s = prepare(&t, MPI_PROC_NULL);
      epochs[e].open(rank, rank);
      issue(&s);
      complete_request(&s);
      check_result(&s);
      if (epochs[e].settle) epochs[e].settle(rank);
      epochs[e].close(rank);
      check_result(&s);
      release(&s);
    }
  where = "";
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, w.win);
  MPI_Win_flush(MPI_PROC_NULL, w.win);
  MPI_Win_flush_local(MPI_PROC_NULL, w.win);
  MPI_Win_unlock(MPI_PROC_NULL, w.win);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* An operation of no elements reaches no memory, not even at the window's end. */
static void nothing_can_be_moved(void) {
  int target = (rank + 1) % size, number = 6;
  MPI_Aint end = place(&w, target, w.kind == dynamic ? 0 : w.sizes[target]);
  begin_local(&w);
  memset(w.base, 0x11, 64);
  end_local(&w);
  MPI_Win_fence(0, w.win);
  MPI_Put(NULL, 0, MPI_INT, target, end, 0, MPI_INT, w.win);
  MPI_Get(&number, 0, MPI_DOUBLE, target, end, 0, MPI_INT, w.win);
  MPI_Accumulate(&number, 0, MPI_INT, target, end, 0, MPI_INT, MPI_SUM, w.win);
  MPI_Get_accumulate(&number, 0, MPI_INT, &number, 0, MPI_INT, target, end, 0, MPI_INT, MPI_SUM,
                     w.win);
  MPI_Win_fence(0, w.win);
  for (int i = 0; i < 64; ++i) CHECK(w.base[i] == 0x11);
  CHECK(number == 6);
}

static void run(WindowKind kind) {
  /* Ranks count in bytes, or in 4 or 8 of them. */
  static const int units[] = {1, 4, 8};
  for (int pass = 0; pass < 2; ++pass) {
    w = make_window(kind, (1 << 20) + 4096, pass ? 1 : units[(rank + 1) % 3], MPI_COMM_WORLD);
    if (pass == 0) {
      every_operation_works_in_every_epoch();
      every_layout_meets_every_other();
      nobody_is_a_target();
    } else {
      records_keep_their_members();
      bytes_arrive_at_any_size();
      nothing_can_be_moved();
    }
    free_window(&w);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  unasserted = has_word(argc, argv, "unasserted");
  over_kinds(argc, argv, run);
  return finish();
}
