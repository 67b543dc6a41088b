/* Windows as objects: made in all ways and freed, what they say of themselves, segments in shared
 * memory, regions that come and go, many at once, on all kinds of communicators. usage: window_test
 * [large] */
#include "window_kinds.h"

/* ---- what a window says of itself --------------------------------------------------------------
 */

static int attribute_of(MPI_Win win, int key) {
  int *value = NULL, flag = 0;
  MPI_Win_get_attr(win, key, &value, &flag);
  CHECK(flag && value != NULL);
  return *value;
}
static MPI_Aint size_of(MPI_Win win) {
  MPI_Aint* value = NULL;
  int flag = 0;
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag);
  CHECK(flag && value != NULL);
  return *value;
}
static void* base_of(MPI_Win win) {
  void* value = NULL;
  int flag = 0;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag);
  CHECK(flag);
  return value;
}

static void it_has_the_group_of(MPI_Win win, MPI_Comm comm) {
  MPI_Group group, wanted;
  int result;
  MPI_Win_get_group(win, &group);
  MPI_Comm_group(comm, &wanted);
  MPI_Group_compare(group, wanted, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&wanted);
}

static void a_window_says_how_it_was_made(WindowKind kind, MPI_Aint bytes, int unit) {
  static const int flavors[] = {MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED,
                                MPI_WIN_FLAVOR_SHARED,   MPI_WIN_FLAVOR_CREATE,
                                MPI_WIN_FLAVOR_CREATE,   MPI_WIN_FLAVOR_DYNAMIC};
  Window w = make_window(kind, bytes, unit, MPI_COMM_WORLD);
  CHECK(attribute_of(w.win, MPI_WIN_CREATE_FLAVOR) == flavors[kind]);
  int model = attribute_of(w.win, MPI_WIN_MODEL);
  CHECK(model == MPI_WIN_UNIFIED || model == MPI_WIN_SEPARATE);
  if (kind == dynamic) {
    CHECK(base_of(w.win) == MPI_BOTTOM && size_of(w.win) == 0);
    CHECK(attribute_of(w.win, MPI_WIN_DISP_UNIT) == 1);
  } else {
    if (bytes > 0) CHECK(base_of(w.win) == w.base);
    CHECK(size_of(w.win) == bytes);
    CHECK(attribute_of(w.win, MPI_WIN_DISP_UNIT) == unit);
  }
  it_has_the_group_of(w.win, MPI_COMM_WORLD);
  CHECK(MPI_Win_fromint(MPI_Win_toint(w.win)) == w.win);
  free_window(&w);
}

static void all_kinds_say_how_they_were_made(void) {
  for (int kind = 0; kind < kind_count; ++kind) {
    a_window_says_how_it_was_made((WindowKind)kind, 4096, 1);
    a_window_says_how_it_was_made((WindowKind)kind, 1000 * (rank + 1), 8 >> rank % 4);
    a_window_says_how_it_was_made((WindowKind)kind, rank % 2 ? 0 : 77, 1);
    a_window_says_how_it_was_made((WindowKind)kind, 0, 12345);
  }
  CHECK(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)) == MPI_WIN_NULL);
}

/* ---- memory -----------------------------------------------------------------------------------
 */

/* Every rank writes a number to every rank's space for it, if that rank has space. */
static void everyone_reaches_everyone(Window* w, int key) {
  int number = key * 1000 + w->me;
  MPI_Win_fence(0, w->win);
  for (int target = 0; target < w->ranks; ++target)
    if (w->sizes[target] > 0)
      MPI_Put(&number, 1, MPI_INT, target, place(w, target, 16 * w->me), 1, MPI_INT, w->win);
  MPI_Win_fence(0, w->win);
  for (int from = 0; from < w->ranks && w->bytes > 0; ++from) {
    memcpy(&number, w->base + 16 * from, sizeof number);
    CHECK(number == key * 1000 + from);
  }
}

static void sizes_and_units_differ_between_ranks(void) {
  for (int kind = 0; kind < kind_count; ++kind)
    for (int empty = 0; empty < 3; ++empty) {
      MPI_Aint bytes = empty && rank % 3 == empty - 1 ? 0 : 16 * size + 1000 * rank;
      Window w = make_window((WindowKind)kind, bytes, 1 << rank % 5, MPI_COMM_WORLD);
      everyone_reaches_everyone(&w, empty);
      free_window(&w);
    }
}

static void nothing_at_all_can_be_a_window(void) {
  MPI_Win win;
  int odd = rank % 2, number = 5;
  MPI_Win_create(odd ? &number : NULL, odd ? sizeof number : 0, odd ? 4 : 1, MPI_INFO_NULL,
                 MPI_COMM_WORLD, &win);
  CHECK(base_of(win) == (odd ? (void*)&number : NULL));
  MPI_Win_fence(0, win);
  if (rank + 1 < size && !odd) MPI_Put(&rank, 1, MPI_INT, rank + 1, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(number == (odd ? rank - 1 : 5));
  MPI_Win_free(&win);
  CHECK(win == MPI_WIN_NULL);
}

/* Memory of several windows can be the same; here their epochs do not overlap. */
static void two_windows_can_share_their_memory(void) {
  int memory[64] = {0};
  MPI_Win wins[2];
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[0]);
  MPI_Win_create(memory + 32, sizeof memory / 2, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[1]);
  int next = (rank + 1) % size, number = rank + 100, got = 0;
  MPI_Win_fence(0, wins[0]);
  MPI_Put(&number, 1, MPI_INT, next, 40, 1, MPI_INT, wins[0]);
  MPI_Win_fence(0, wins[0]);
  MPI_Win_fence(0, wins[1]);
  MPI_Get(&got, 1, MPI_INT, next, 8, 1, MPI_INT, wins[1]);
  MPI_Win_fence(0, wins[1]);
  CHECK(got == number);
  MPI_Win_free(&wins[0]);
  MPI_Win_free(&wins[1]);
}

/* ---- shared memory ----------------------------------------------------------------------------
 */

typedef struct {
  MPI_Aint bytes;
  int unit;
  unsigned char* base;
} Segment;

static Segment query(MPI_Win win, int whose) {
  Segment s = {-1, -1, NULL};
  MPI_Aint bytes = -1, unit = -1;
  unsigned char* base = NULL;
  MPI_Win_shared_query(win, whose, &s.bytes, &s.unit, &s.base);
  MPI_Win_shared_query_c(win, whose, &bytes, &unit, &base);
  CHECK(s.bytes == bytes && s.unit == unit && s.base == base);
  return s;
}

/* What its owner stores, everyone loads, and the other way round. */
static void loads_see_stores(const Window* w, Segment (*segment)(MPI_Win, int)) {
  MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win);
  fill_bytes(w->base, (size_t)w->bytes, (uint64_t)w->me);
  MPI_Win_sync(w->win);
  MPI_Barrier(w->comm);
  MPI_Win_sync(w->win);
  for (int whose = 0; whose < w->ranks; ++whose) {
    Segment s = segment(w->win, whose);
    if (s.bytes > 0) CHECK(bytes_are(s.base, (size_t)s.bytes, (uint64_t)whose));
  }
  MPI_Win_sync(w->win);
  MPI_Barrier(w->comm);
  Segment next = segment(w->win, (w->me + 1) % w->ranks);
  if (next.bytes > 0) fill_bytes(next.base, (size_t)next.bytes, (uint64_t)w->me + 500);
  MPI_Win_sync(w->win);
  MPI_Barrier(w->comm);
  MPI_Win_sync(w->win);
  int before = (w->me + w->ranks - 1) % w->ranks;
  if (next.bytes > 0 && w->bytes > 0)
    CHECK(bytes_are(w->base, (size_t)w->bytes, (uint64_t)before + 500));
  MPI_Win_unlock_all(w->win);
}

static void shared_segments_are_found(WindowKind kind, MPI_Aint bytes, int unit) {
  Window w = make_window(kind, bytes, unit, MPI_COMM_WORLD);
  int first = -1;
  const unsigned char* end = NULL;
  for (int whose = 0; whose < size; ++whose) {
    Segment s = query(w.win, whose);
    CHECK(s.bytes == w.sizes[whose]);
    if (s.bytes == 0) continue;
    CHECK(s.unit == w.units[whose]);
    if (first < 0) first = whose;
    if (kind == shared && end) CHECK(s.base == end);
    end = s.base + s.bytes;
  }
  Segment lowest = query(w.win, MPI_PROC_NULL);
  if (first < 0) {
    CHECK(lowest.bytes == 0);
  } else {
    CHECK(lowest.bytes == w.sizes[first] && lowest.unit == w.units[first]);
    CHECK(lowest.base == query(w.win, first).base);
  }
  if (bytes > 0) CHECK(query(w.win, rank).base == w.base);
  loads_see_stores(&w, query);
  free_window(&w);
}

/* Memory of other windows need not be shared; what is said to be has to be. */
static void other_segments_are_found_or_not(WindowKind kind) {
  Window w = make_window(kind, 5000 + 16 * rank, 1 << rank % 5, MPI_COMM_WORLD);
  int found = 0, all;
  for (int whose = 0; whose < size; ++whose) {
    Segment s = query(w.win, whose);
    if (s.bytes == 0) CHECK(s.base == NULL);
    if (s.bytes == 0) continue;
    CHECK(s.bytes == w.sizes[whose] && s.unit == w.units[whose]);
    ++found;
  }
  MPI_Allreduce(&found, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all == size) loads_see_stores(&w, query);
  free_window(&w);
}

static void segments_can_be_had(void) {
  for (int kind = shared; kind <= noncontig; ++kind) {
    shared_segments_are_found((WindowKind)kind, 4096, 8);
    shared_segments_are_found((WindowKind)kind, 1 + 1000 * rank, 1);
    shared_segments_are_found((WindowKind)kind, 8 * rank, 1 << rank % 4);
    shared_segments_are_found((WindowKind)kind, rank % 2 ? 0 : 4000, 4);
    shared_segments_are_found((WindowKind)kind, rank == size - 1 ? 100 : 0, 2);
    shared_segments_are_found((WindowKind)kind, 0, 1);
  }
  other_segments_are_found_or_not(allocated);
  other_segments_are_found_or_not(created);
  other_segments_are_found_or_not(exported);
}

/* ---- dynamic windows --------------------------------------------------------------------------
 */

enum { regions = 5 };

/* Puts a mark at both ends of each region of the next rank, and finds its own. */
static void regions_are_marked(MPI_Win win, unsigned char** region, const MPI_Aint* bytes,
                               int key) {
  MPI_Aint mine[regions], *all = malloc((size_t)size * sizeof mine);
  for (int i = 0; i < regions; ++i) MPI_Get_address(region[i], &mine[i]);
  MPI_Allgather(mine, regions, MPI_AINT, all, regions, MPI_AINT, MPI_COMM_WORLD);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  unsigned char marks[regions];
  MPI_Win_fence(0, win);
  for (int i = 0; i < regions; ++i) {
    MPI_Aint at = all[next * regions + i];
    marks[i] = (unsigned char)(key + 10 * rank + i);
    if (bytes[i] == 0) continue;
    MPI_Put(&marks[i], 1, MPI_BYTE, next, at, 1, MPI_BYTE, win);
    if (bytes[i] > 1)
      MPI_Put(&marks[i], 1, MPI_BYTE, next, MPI_Aint_add(at, bytes[i] - 1), 1, MPI_BYTE, win);
  }
  MPI_Win_fence(0, win);
  for (int i = 0; i < regions; ++i) {
    unsigned char mark = (unsigned char)(key + 10 * before + i);
    if (bytes[i] > 0) CHECK(region[i][0] == mark && region[i][bytes[i] - 1] == mark);
  }
  free(all);
}

static void regions_come_and_go(void) {
  static const int first_order[] = {2, 0, 4, 1, 3}, second_order[] = {4, 3, 0, 2, 1};
  static const MPI_Aint bytes[regions] = {1, 100, 4096, 70000, 1000000};
  unsigned char* region[regions];
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < regions; ++i) {
      int which = first_order[(i + rank) % regions];
      if (which == 3)
        MPI_Alloc_mem(bytes[which], MPI_INFO_NULL, &region[which]);
      else
        region[which] = malloc((size_t)bytes[which]);
      MPI_Win_attach(win, region[which], bytes[which]);
    }
    regions_are_marked(win, region, bytes, round * 50);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < regions; ++i) MPI_Win_detach(win, region[second_order[i]]);
    MPI_Free_mem(region[3]);
    for (int i = 0; i < regions; ++i)
      if (i != 3) free(region[i]);
  }
  MPI_Win_free(&win);
}

/* Neighbours in memory are attached as parts; memory that is attached at the end goes with it. */
static void parts_of_one_array_are_attached(void) {
  static unsigned char memory[5 * 1000];
  unsigned char* region[regions];
  MPI_Aint bytes[regions];
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < regions; ++i) {
    region[i] = memory + 1000 * i;
    bytes[i] = i % 2 ? 1000 : 999;
    MPI_Win_attach(win, region[i], bytes[i]);
  }
  regions_are_marked(win, region, bytes, 7);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(win, region[1]);
  MPI_Win_detach(win, region[3]);
  MPI_Win_free(&win);
}

/* ---- many, and on other communicators ----------------------------------------------------------
 */

static void many_windows_live_at_once(void) {
  enum { many = 30 };
  Window w[many];
  for (int i = 0; i < many; ++i)
    w[i] = make_window((WindowKind)(i % kind_count), 16 * size + 100 * i, 4, MPI_COMM_WORLD);
  for (int i = 0; i < many; ++i)
    for (int j = 0; j < i; ++j) CHECK(w[i].win != w[j].win && w[i].base != w[j].base);
  for (int i = 0; i < many; ++i) everyone_reaches_everyone(&w[i], i);
  for (int i = 0; i < many; i += 2) free_window(&w[i]);
  for (int i = 0; i < many; i += 2)
    w[i] = make_window((WindowKind)((i + 3) % kind_count), 16 * size, 4, MPI_COMM_WORLD);
  for (int i = many - 1; i >= 0; --i) everyone_reaches_everyone(&w[i], many + i);
  for (int i = many - 1; i >= 0; --i) free_window(&w[i * 7 % many]);
}

static void on(MPI_Comm comm) {
  for (int kind = 0; kind < kind_count; ++kind) {
    int ranks, me;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &me);
    Window w = make_window((WindowKind)kind, 16 * ranks + 8 * me, 2, comm);
    it_has_the_group_of(w.win, comm);
    everyone_reaches_everyone(&w, kind);
    free_window(&w);
  }
}

static void windows_live_on_any_communicator(void) {
  MPI_Comm made, early;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  on(made);
  /* The window outlives the communicator it was made on. */
  MPI_Comm_dup(made, &early);
  MPI_Win win;
  int number = -1, next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Win_create(&number, sizeof number, 1, MPI_INFO_NULL, early, &win);
  MPI_Comm_free(&early);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(number == before);
  MPI_Win_free(&win);
  MPI_Comm_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made);
  on(made);
  MPI_Comm_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &made);
  on(made);
  MPI_Comm_free(&made);
  on(MPI_COMM_SELF);
}

/* ---- counts of 64 bits ------------------------------------------------------------------------
 */

static void large_count_forms_make_the_same(void) {
  int *memory, got = -1, next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int form = 0; form < 3; ++form) {
    MPI_Win win;
    int own[4] = {0};
    memory = own;
    if (form == 0)
      MPI_Win_allocate_c(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    else if (form == 1)
      MPI_Win_allocate_shared_c(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    else
      MPI_Win_create_c(own, 16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    CHECK(base_of(win) == memory && size_of(win) == 16);
    CHECK(attribute_of(win, MPI_WIN_DISP_UNIT) == 4);
    memory[1] = 0;
    MPI_Win_fence(0, win);
    MPI_Put_c(&rank, 1, MPI_INT, next, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[1] == before);
    MPI_Get_c(&got, 1, MPI_INT, next, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(got == rank);
    MPI_Win_free(&win);
  }
}

/* Units that no int holds; displacements count in them. */
static void units_can_be_large(void) {
  const MPI_Aint large = (MPI_Aint)1 << 33;
  MPI_Win win;
  int* memory;
  MPI_Win_allocate_shared_c(16, large, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int whose = 0; whose < size; ++whose) {
    MPI_Aint bytes = -1, unit = -1;
    int* base;
    MPI_Win_shared_query_c(win, whose, &bytes, &unit, &base);
    CHECK(bytes == 16 && unit == large);
  }
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(*memory == (rank + size - 1) % size);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  all_kinds_say_how_they_were_made();
  sizes_and_units_differ_between_ranks();
  nothing_at_all_can_be_a_window();
  two_windows_can_share_their_memory();
  regions_come_and_go();
  parts_of_one_array_are_attached();
  many_windows_live_at_once();
  windows_live_on_any_communicator();
  large_count_forms_make_the_same();
  segments_can_be_had();
  if (has_word(argc, argv, "large")) units_can_be_large(); /* some MPIs cannot */
  return finish();
}
