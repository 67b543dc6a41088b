/* Random programs of one-sided operations, of which every result is determined: on random windows,
 * with random datatypes, in random epochs, against a reference that each rank works out alone in
 * plain memory. usage:
 * random_windows_test [seed [cases [first case]]] [packable] [kind of window ...] */
#include "random_access.h"

enum { accesses_max = 200 };

static unsigned long long seed = 1;
static long case_number;
static int phase;

static Window w;
static unsigned char* parts[ranks_max]; /* what the memory of each rank must be */
static Access accesses[accesses_max];
static int access_count;

#define HELD(condition)                                                                     \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr,                                                                       \
              "%s:%d: seed %llu, case %ld, phase %d, %s window, rank %d of %d: not so: "    \
              "%s\n",                                                                       \
              __FILE__, __LINE__, seed, case_number, phase, kind_names[w.kind], rank, size, \
              #condition);                                                                  \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                         \
    }                                                                                       \
  } while (0)

/* ---- programs ---------------------------------------------------------------------------------
 */

typedef enum { by_fence, by_groups, by_exact_groups, by_locks, by_one_lock, mode_count } Mode;

static int is_passive(Mode mode) {
  return mode >= by_locks;
}

static void free_access(Access* a) {
  free_side(&a->out), free_side(&a->in), free_side(&a->there);
  free(a->sent), free(a->compared), free(a->wanted), free(a->got);
  *a = (Access){.what = a->what, .request = MPI_REQUEST_NULL};
}

/* A place in the target's part that the type fits into. */
static int give_place(Access* a) {
  MPI_Aint low = a->there.layout.low, high = a->there.layout.high, unit = w.units[a->target];
  MPI_Aint first = low < 0 ? -low : 0, last = w.sizes[a->target] - (high > 0 ? high : 0);
  first = (first + unit - 1) / unit * unit;
  if (first > last) return 0;
  if (a->hot) last = first;
  a->at = first + between(0, (last - first) / unit) * unit;
  return 1;
}

static void give_memory(Access* a) {
  uint64_t key = (uint64_t)a->index + 1;
  size_t out = a->out.layout.places ? space_of(&a->out) : 1;
  size_t in = a->in.layout.places ? space_of(&a->in) : 1;
  a->sent = malloc(out), a->compared = calloc(8, 1);
  a->wanted = malloc(in), a->got = malloc(in);
  fill_bytes(a->sent, out, key);
  fill_bytes(a->wanted, in, key + 77);
  fill_bytes(a->got, in, key + 77);
}

static MPI_Op random_op(const Access* a) {
  const MPI_Op all[] = {MPI_SUM, MPI_PROD, MPI_MAX,     MPI_MIN,  MPI_BAND,
                        MPI_BOR, MPI_BXOR, MPI_REPLACE, MPI_NO_OP};
  long which = a->hot ? hot_op : between(0, 8);
  return all[a->what == accumulate && which == 8 ? 0 : which];
}

/* One more access, run in plain memory; false if there is none this time. */
static int add_access(Mode mode, int index, int (*orders)[ranks_max], Mark (*marks)[part_max]) {
  Access* a = &accesses[access_count];
  *a = (Access){.what = (What)between(put, mode == by_one_lock ? flush_all : swap), .index = index};
  a->origin = (int)between(0, w.ranks - 1), a->target = (int)between(0, w.ranks - 1);
  a->large = flip(), a->asked = is_passive(mode) && between(0, 2) == 0;
  a->request = MPI_REQUEST_NULL;
  if (a->what >= flush) {
    for (int target = 0; target < w.ranks; ++target)
      if (a->what == flush_all || target == a->target) ++orders[a->origin][target];
    return 1;
  }
  a->hot = is_accumulate(a->what) && flip();
  a->op = random_op(a);
  if (is_accumulate(a->what))
    give_numbers(a);
  else if (!give_any_types(a)) {
    free_access(a);
    return 0;
  }
  if (!give_place(a) || overlaps(&a->there.layout) ||
      !noted(a, orders[a->origin][a->target], marks[a->target])) {
    free_access(a);
    return 0;
  }
  give_memory(a);
  if (a->what == swap)
    memcpy(a->compared, flip() ? parts[a->target] + a->at : a->sent, (size_t)a->number);
  run_in_plain_memory(a, parts[a->target]);
  if (mode == by_locks) ++orders[a->origin][a->target]; /* each has an epoch of its own */
  if (a->origin != w.me) {
    int origin = a->origin, target = a->target;
    free_access(a);
    a->origin = origin, a->target = target;
  }
  return 1;
}

static void make_program(Mode mode) {
  static Mark marks[ranks_max][part_max];
  int orders[ranks_max][ranks_max] = {{0}};
  int wanted = (int)between(1, 12 * w.ranks);
  memset(marks, 0, sizeof marks);
  hot_basic = between(0, 3), hot_op = between(0, 8);
  access_count = 0;
  for (int i = 0; i < wanted && access_count < accesses_max; ++i)
    access_count += add_access(mode, i, orders, marks);
}

/* ---- running them -----------------------------------------------------------------------------
 */

static void issue_short(Access* a, MPI_Aint disp) {
  const void* sent = address(&a->out, a->sent);
  void* got = address(&a->in, a->got);
  MPI_Datatype out = a->out.tree.type, in = a->in.tree.type, there = a->there.tree.type;
  int o = (int)a->out.count, i = (int)a->in.count, t = (int)a->there.count, to = a->target;
  int ask = a->asked;
  if (a->what == put && ask)
    MPI_Rput(sent, o, out, to, disp, t, there, w.win, &a->request);
  else if (a->what == put)
    MPI_Put(sent, o, out, to, disp, t, there, w.win);
  else if (a->what == get && ask)
    MPI_Rget(got, i, in, to, disp, t, there, w.win, &a->request);
  else if (a->what == get)
    MPI_Get(got, i, in, to, disp, t, there, w.win);
  else if (a->what == accumulate && ask)
    MPI_Raccumulate(sent, o, out, to, disp, t, there, a->op, w.win, &a->request);
  else if (a->what == accumulate)
    MPI_Accumulate(sent, o, out, to, disp, t, there, a->op, w.win);
  else if (a->what == get_accumulate && ask)
    MPI_Rget_accumulate(sent, o, out, got, i, in, to, disp, t, there, a->op, w.win, &a->request);
  else if (a->what == get_accumulate)
    MPI_Get_accumulate(sent, o, out, got, i, in, to, disp, t, there, a->op, w.win);
  else if (a->what == fetch_op)
    MPI_Fetch_and_op(sent, got, out, to, disp, a->op, w.win);
  else
    MPI_Compare_and_swap(sent, a->compared, got, out, to, disp, w.win);
}

static void issue_large(Access* a, MPI_Aint disp) {
  const void* sent = address(&a->out, a->sent);
  void* got = address(&a->in, a->got);
  MPI_Datatype out = a->out.tree.type, in = a->in.tree.type, there = a->there.tree.type;
  MPI_Count o = a->out.count, i = a->in.count, t = a->there.count;
  int ask = a->asked, to = a->target;
  if (a->what == put && ask)
    MPI_Rput_c(sent, o, out, to, disp, t, there, w.win, &a->request);
  else if (a->what == put)
    MPI_Put_c(sent, o, out, to, disp, t, there, w.win);
  else if (a->what == get && ask)
    MPI_Rget_c(got, i, in, to, disp, t, there, w.win, &a->request);
  else if (a->what == get)
    MPI_Get_c(got, i, in, to, disp, t, there, w.win);
  else if (a->what == accumulate && ask)
    MPI_Raccumulate_c(sent, o, out, to, disp, t, there, a->op, w.win, &a->request);
  else if (a->what == accumulate)
    MPI_Accumulate_c(sent, o, out, to, disp, t, there, a->op, w.win);
  else if (ask)
    MPI_Rget_accumulate_c(sent, o, out, got, i, in, to, disp, t, there, a->op, w.win, &a->request);
  else
    MPI_Get_accumulate_c(sent, o, out, got, i, in, to, disp, t, there, a->op, w.win);
}

static void run_access(Access* a) {
  if (a->what == flush) {
    MPI_Win_flush(a->target, w.win);
  } else if (a->what == flush_all) {
    MPI_Win_flush_all(w.win);
  } else {
    MPI_Aint disp = place(&w, a->target, a->at);
    if (a->large && a->what <= get_accumulate)
      issue_large(a, disp);
    else
      issue_short(a, disp);
    if (a->asked && a->index % 2) MPI_Wait(&a->request, MPI_STATUS_IGNORE);
  }
}

/* The ranks that this one reaches, or that reach it: all, or exactly those. */
static MPI_Group group_for(int of_origins, int exact) {
  int members[ranks_max], count = 0;
  MPI_Group all, group;
  for (int other = 0; other < w.ranks; ++other) {
    int found = !exact;
    for (int i = 0; i < access_count; ++i) {
      const Access* a = &accesses[i];
      found |= of_origins ? a->target == w.me && a->origin == other
                          : a->origin == w.me && a->target == other;
    }
    if (found) members[count++] = other;
  }
  MPI_Win_get_group(w.win, &all);
  MPI_Group_incl(all, count, members, &group);
  MPI_Group_free(&all);
  return group;
}

static void run_own(Mode mode) {
  for (int i = 0; i < access_count; ++i) {
    Access* a = &accesses[i];
    if (a->origin != w.me) continue;
    if (mode == by_locks)
      MPI_Win_lock(a->index % 3 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, a->target, 0, w.win);
    run_access(a);
    if (mode != by_locks) continue;
    MPI_Wait(&a->request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(a->target, w.win);
  }
}

static void run_program(Mode mode) {
  int exact = mode == by_exact_groups;
  MPI_Group group;
  switch (mode) {
    case by_fence:
      MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win);
      run_own(mode);
      MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
      break;
    case by_groups:
    case by_exact_groups:
      group = group_for(1, exact);
      MPI_Win_post(group, 0, w.win);
      MPI_Group_free(&group);
      group = group_for(0, exact);
      MPI_Win_start(group, 0, w.win);
      MPI_Group_free(&group);
      run_own(mode);
      MPI_Win_complete(w.win);
      MPI_Win_wait(w.win);
      break;
    case by_locks:
      run_own(mode);
      break;
    default:
      MPI_Win_lock_all(0, w.win);
      run_own(mode);
      for (int i = 0; i < access_count; ++i) MPI_Wait(&accesses[i].request, MPI_STATUS_IGNORE);
      MPI_Win_unlock_all(w.win);
  }
}

/* ---- one case ---------------------------------------------------------------------------------
 */

/* Owners change some of their memory themselves. */
static void store_some(void) {
  MPI_Barrier(w.comm);
  begin_local(&w);
  for (int owner = 0; owner < w.ranks; ++owner) {
    MPI_Aint from = between(0, w.sizes[owner]), to = between(from, w.sizes[owner]);
    uint64_t key = next_random(&random_state);
    if (flip()) continue;
    fill_bytes(parts[owner] + from, (size_t)(to - from), key);
    if (owner == w.me) fill_bytes(w.base + from, (size_t)(to - from), key);
  }
  end_local(&w);
  MPI_Barrier(w.comm);
}

static void compare_all_segments(void) {
  MPI_Win_lock_all(0, w.win);
  MPI_Win_sync(w.win);
  for (int owner = 0; owner < w.ranks; ++owner) {
    MPI_Aint bytes = -1;
    int unit;
    unsigned char* base;
    MPI_Win_shared_query(w.win, owner, &bytes, &unit, &base);
    HELD(bytes == w.sizes[owner]);
    if (bytes > 0) HELD(memcmp(base, parts[owner], (size_t)bytes) == 0);
  }
  MPI_Win_unlock_all(w.win);
}

static void compare(Mode mode) {
  if (is_passive(mode)) MPI_Barrier(w.comm);
  begin_local(&w);
  if (w.bytes > 0) HELD(memcmp(w.base, parts[w.me], (size_t)w.bytes) == 0);
  end_local(&w);
  for (int i = 0; i < access_count; ++i) {
    Access* a = &accesses[i];
    if (a->origin == w.me && has_result(a->what))
      HELD(memcmp(a->got, a->wanted, space_of(&a->in)) == 0);
    free_access(a);
  }
  MPI_Barrier(w.comm);
  if (w.kind == shared || w.kind == noncontig) compare_all_segments();
}

static void run_case(WindowKind kind) {
  MPI_Comm comm;
  static const int units[] = {1, 1, 2, 4, 8};
  MPI_Comm_split(MPI_COMM_WORLD, 0, flip() ? -rank : rank, &comm);
  int me, ranks;
  MPI_Aint bytes = 0;
  int unit = 1, large = flip();
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  CHECK(ranks <= ranks_max);
  for (int i = 0; i < ranks; ++i) {
    MPI_Aint its_bytes = between(0, 5) ? between(1, large ? part_max : 200) : 0;
    int its_unit = units[between(0, 4)];
    if (i == me) bytes = its_bytes, unit = its_unit;
  }
  w = make_window(kind, bytes, unit, comm);
  for (int i = 0; i < ranks; ++i) parts[i] = calloc((size_t)w.sizes[i] + 1, 1);
  int phases = (int)between(1, 4);
  for (phase = 0; phase < phases; ++phase) {
    Mode mode = (Mode)between(0, mode_count - 1);
    store_some();
    make_program(mode);
    run_program(mode);
    compare(mode);
  }
  for (int i = 0; i < ranks; ++i) free(parts[i]);
  free_window(&w);
  MPI_Comm_free(&comm);
}

static long number_of(int argc, char** argv, int which, long otherwise) {
  return argc > which && argv[which][0] >= '0' && argv[which][0] <= '9' ? atol(argv[which])
                                                                        : otherwise;
}

static int named[kind_count], named_count;
static void name_kind(WindowKind kind) {
  named[named_count++] = (int)kind;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  make_basics();
  only_packable = has_word(argc, argv, "packable");
  over_kinds(argc, argv, name_kind);
  seed = (unsigned long long)number_of(argc, argv, 1, 1);
  long cases = number_of(argc, argv, 2, 150), first = number_of(argc, argv, 3, 0);
  if (rank == 0) printf("seed %llu, cases %ld to %ld\n", seed, first, cases - 1);
  for (case_number = first; case_number < cases; ++case_number) {
    random_state = seed * 1000003u + (uint64_t)case_number;
    run_case((WindowKind)named[between(0, named_count - 1)]);
  }
  return finish();
}
