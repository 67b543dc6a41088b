/* Accumulates of many ranks at the same time to the same place: nothing is lost, nothing is torn,
 * tickets are given out once. usage: atomics_test [kind of window ...] */
#include "window_kinds.h"

enum { numbers = 1200, window_bytes = 32 * numbers + 64 };

static Window w;
static const char* type_name; /* for messages */

#define HELD(condition)                                                                        \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      fprintf(stderr, "%s:%d: rank %d of %d: %s window, %s: not so: %s\n", __FILE__, __LINE__, \
              rank, size, kind_names[w.kind], type_name, #condition);                          \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                            \
    }                                                                                          \
  } while (0)

static void clear(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&w);
  memset(w.base, 0, window_bytes);
  end_local(&w);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- sums -------------------------------------------------------------------------------------
 */

typedef struct {
  const char* name;
  MPI_Datatype type;
  int bytes;
} Type;

/* A complex number has the same value in both parts. */
static void write_number(const Type* t, double value, void* to) {
#define CASE(handle, T)                 \
  if (t->type == (handle)) {            \
    T number = (T)value;                \
    memcpy(to, &number, sizeof number); \
  }
  CASE(MPI_INT8_T, int8_t)
  CASE(MPI_UINT16_T, uint16_t)
  CASE(MPI_INT, int)
  CASE(MPI_INT64_T, int64_t)
  CASE(MPI_AINT, MPI_Aint)
  CASE(MPI_FLOAT, float)
  CASE(MPI_DOUBLE, double)
  CASE(MPI_LONG_DOUBLE, long double)
#undef CASE
  if (t->type == MPI_C_FLOAT_COMPLEX) memcpy(to, (float[2]){(float)value, (float)value}, 8);
  if (t->type == MPI_C_DOUBLE_COMPLEX) memcpy(to, (double[2]){value, value}, 16);
}

static int is_number(const Type* t, double value, const void* at) {
  unsigned char wanted[32] = {0}, got[32] = {0};
  int bytes = t->type == MPI_LONG_DOUBLE ? 10 : t->bytes;
  write_number(t, value, wanted);
  memcpy(got, at, (size_t)t->bytes);
  return memcmp(wanted, got, (size_t)bytes) == 0;
}

static const Type types[] = {
    {"MPI_INT8_T", 0, 1},           {"MPI_UINT16_T", 0, 2},     {"MPI_INT", 0, 4},
    {"MPI_INT64_T", 0, 8},          {"MPI_AINT", 0, 8},         {"MPI_FLOAT", 0, 4},
    {"MPI_DOUBLE", 0, 8},           {"MPI_LONG_DOUBLE", 0, 16}, {"MPI_C_FLOAT_COMPLEX", 0, 8},
    {"MPI_C_DOUBLE_COMPLEX", 0, 16}};
enum { type_count = sizeof types / sizeof types[0] };
static Type type_number(int i) {
  const MPI_Datatype handles[] = {
      MPI_INT8_T, MPI_UINT16_T, MPI_INT,         MPI_INT64_T,         MPI_AINT,
      MPI_FLOAT,  MPI_DOUBLE,   MPI_LONG_DOUBLE, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX};
  Type t = types[i];
  t.type = handles[i];
  return t;
}

/* Ranks use different calls for the same sum. */
static void add(const Type* t, const void* ones, void* old, int count, int target, MPI_Aint where,
                int how, MPI_Request* request) {
  MPI_Aint there = place(&w, target, where);
  switch (count == 1 ? how % 4 : how % 3) {
    case 0:
      MPI_Accumulate(ones, count, t->type, target, there, count, t->type, MPI_SUM, w.win);
      break;
    case 1:
      MPI_Get_accumulate(ones, count, t->type, old, count, t->type, target, there, count, t->type,
                         MPI_SUM, w.win);
      break;
    case 2:
      if (request)
        MPI_Raccumulate(ones, count, t->type, target, there, count, t->type, MPI_SUM, w.win,
                        request);
      else
        MPI_Accumulate(ones, count, t->type, target, there, count, t->type, MPI_SUM, w.win);
      break;
    default:
      MPI_Fetch_and_op(ones, old, t->type, target, there, MPI_SUM, w.win);
  }
}

static void sums_are_exact(int i) {
  static const int counts[] = {1, 3, 20, 1000};
  static unsigned char ones[16 * 1000];
  unsigned char* old = malloc((size_t)size * sizeof ones); /* for each target */
  enum { rounds = 8 };
  Type t = type_number(i);
  type_name = t.name;
  for (int k = 0; k < 1000; ++k) write_number(&t, 1, ones + k * t.bytes);
  for (int n = 0; n < 4; ++n) {
    MPI_Aint where = n == 1 ? 3 : 16 * n;
    int count = counts[n], all = n % 2; /* to everyone, or all to one */
    clear();
    MPI_Win_lock_all(0, w.win);
    for (int round = 0; round < rounds; ++round)
      for (int target = 0; target < (all ? size : 1); ++target) {
        MPI_Request request = MPI_REQUEST_NULL;
        int to = (target + (all ? rank : size - 1)) % size;
        add(&t, ones, old + (size_t)to * sizeof ones, count, to, where, rank + round, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (round % 3 == 0)
          MPI_Win_flush(to, w.win);
        else
          MPI_Win_flush_local(to, w.win);
      }
    MPI_Win_unlock_all(w.win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win);
    for (int target = 0; target < (all ? size : 1); ++target)
      add(&t, ones, old + (size_t)target * sizeof ones, count, all ? target : size - 1, where, rank,
          NULL);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
    int wanted = all || rank == size - 1 ? (rounds + 1) * size : 0;
    for (int k = 0; k < count; ++k) HELD(is_number(&t, wanted, w.base + where + k * t.bytes));
    HELD(w.base[where + count * t.bytes] == 0);
  }
  free(old);
}

/* ---- nothing is torn --------------------------------------------------------------------------
 */

/* All replace, all read: the two parts of what is read belong together, and the same rank has
 * written them. */
static void elements_are_whole(const char* name, MPI_Datatype type, int second_at, int bytes) {
  enum { many = 5, rounds = 30 };
  unsigned char mine[many * 32], got[many * 32];
  int target = size / 2;
  type_name = name;
  clear();
  MPI_Win_lock_all(0, w.win);
  memset(mine, 0, sizeof mine);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < many; ++i) {
      int number = 1000 * round + rank + 1, at = i * bytes;
      if (type == MPI_2INT) {
        memcpy(mine + at, &number, sizeof number);
        memcpy(mine + at + second_at, &number, sizeof number);
      } else {
        double value = number;
        memcpy(mine + at, &value, sizeof value);
        memcpy(mine + at + second_at, &value, sizeof value);
      }
    }
    MPI_Accumulate(mine, many, type, target, place(&w, target, 64), many, type, MPI_REPLACE, w.win);
    MPI_Get_accumulate(NULL, 0, type, got, many, type, target, place(&w, target, 64), many, type,
                       MPI_NO_OP, w.win);
    MPI_Win_flush(target, w.win);
    for (int i = 0; i < many; ++i)
      HELD(memcmp(got + i * bytes, got + i * bytes + second_at, (size_t)second_at) == 0);
  }
  MPI_Win_unlock_all(w.win);
}

/* The bits of a long number are of one writer: its bytes are all the same. */
static void bytes_are_of_one_writer(const char* name, MPI_Datatype type, int bytes) {
  enum { rounds = 60 };
  unsigned char mine[8], got[8];
  int target = size - 1;
  type_name = name;
  clear();
  MPI_Win_lock_all(0, w.win);
  for (int round = 0; round < rounds; ++round) {
    MPI_Aint there = place(&w, target, round % 2 ? 64 : 101);
    memset(mine, 1 + rank + round % 7, sizeof mine);
    if (round % 3)
      MPI_Accumulate(mine, 1, type, target, there, 1, type, MPI_REPLACE, w.win);
    else
      MPI_Fetch_and_op(mine, got, type, target, there, MPI_REPLACE, w.win);
    MPI_Win_flush(target, w.win);
    MPI_Fetch_and_op(NULL, got, type, target, there, MPI_NO_OP, w.win);
    MPI_Win_flush(target, w.win);
    for (int i = 1; i < bytes; ++i) HELD(got[i] == got[0] && got[0] > 0);
  }
  MPI_Win_unlock_all(w.win);
}

/* ---- tickets, counters, extremes ---------------------------------------------------------------
 */

static void tickets_are_given_once(const char* name, MPI_Datatype type) {
  enum { each = 50 };
  int64_t mine[each], *all = malloc(sizeof mine * (size_t)size);
  char* seen = calloc((size_t)size, each);
  int target = size / 3;
  int64_t last = -1;
  type_name = name;
  clear();
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < each; ++i) {
    double twice = 1;
    int16_t half = 1;
    int64_t whole = 1;
    void* one = type == MPI_DOUBLE ? (void*)&twice : type == MPI_INT16_T ? (void*)&half : &whole;
    unsigned char got[8];
    MPI_Fetch_and_op(one, got, type, target, place(&w, target, 40), MPI_SUM, w.win);
    MPI_Win_flush(target, w.win);
    memcpy(&twice, got, sizeof twice), memcpy(&half, got, sizeof half);
    memcpy(&whole, got, sizeof whole);
    mine[i] = type == MPI_DOUBLE ? (int64_t)twice : type == MPI_INT16_T ? half : whole;
    HELD(mine[i] > last); /* later ones are higher */
    last = mine[i];
  }
  MPI_Win_unlock_all(w.win);
  MPI_Allgather(mine, each, MPI_INT64_T, all, each, MPI_INT64_T, MPI_COMM_WORLD);
  for (int i = 0; i < each * size; ++i) {
    HELD(all[i] >= 0 && all[i] < each * size);
    HELD(!seen[all[i]]);
    seen[all[i]] = 1;
  }
  free(all), free(seen);
}

/* Each adds one as soon as nobody else was quicker. */
static void swaps_count_right(const char* name, MPI_Datatype type, int bytes) {
  enum { each = 40, tries_max = 100000000 };
  uint64_t mask = bytes == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * bytes) - 1, got = 0, number = 0;
  int target = 0;
  MPI_Aint there = place(&w, target, bytes == 8 ? 48 : 52);
  type_name = name;
  clear();
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < each; ++i)
    for (long tries = 0;; ++tries) {
      uint64_t next = (number + 1) & mask;
      HELD(tries < tries_max);
      MPI_Compare_and_swap(&next, &number, &got, type, target, there, w.win);
      MPI_Win_flush(target, w.win);
      got &= mask;
      int swapped = got == number;
      number = swapped ? next : got;
      if (swapped) break;
    }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&w);
  if (rank == target) {
    memcpy(&got, w.base + (bytes == 8 ? 48 : 52), sizeof got);
    HELD((got & mask) == ((uint64_t)each * (uint64_t)size & mask));
  }
  end_local(&w);
}

static void the_least_of_all_wins(void) {
  typedef struct {
    int value, index;
  } Pair;
  enum { many = 40, rounds = 10 };
  Pair mine[many], wanted[many], got[many];
  uint64_t random = 17;
  int target = size - 1;
  type_name = "MPI_2INT";
  clear();
  for (int i = 0; i < many; ++i) wanted[i] = (Pair){1000, 0};
  if (rank == target) {
    begin_local(&w);
    memcpy(w.base, wanted, sizeof wanted);
    end_local(&w);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, w.win);
  for (int round = 0; round < rounds; ++round)
    for (int from = 0; from < size; ++from) {
      for (int i = 0; i < many; ++i) {
        Pair p = {(int)(next_random(&random) % 50), (int)(next_random(&random) % 1000)};
        if (from == rank) mine[i] = p;
        if (p.value < wanted[i].value || (p.value == wanted[i].value && p.index < wanted[i].index))
          wanted[i] = p;
      }
      if (from != rank) continue;
      MPI_Accumulate(mine, many, MPI_2INT, target, place(&w, target, 0), many, MPI_2INT, MPI_MINLOC,
                     w.win);
      MPI_Win_flush_local(target, w.win);
    }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&w);
  memcpy(got, w.base, sizeof got);
  end_local(&w);
  if (rank == target) HELD(memcmp(got, wanted, sizeof got) == 0);
}

static void run(WindowKind kind) {
  w = make_window(kind, window_bytes, 1, MPI_COMM_WORLD);
  for (int i = 0; i < type_count; ++i) sums_are_exact(i);
  elements_are_whole("MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, 8, 16);
  elements_are_whole("MPI_2INT", MPI_2INT, 4, 8);
  bytes_are_of_one_writer("MPI_INT64_T", MPI_INT64_T, 8);
  bytes_are_of_one_writer("MPI_INT16_T", MPI_INT16_T, 2);
  tickets_are_given_once("MPI_INT64_T", MPI_INT64_T);
  tickets_are_given_once("MPI_INT16_T", MPI_INT16_T);
  tickets_are_given_once("MPI_DOUBLE", MPI_DOUBLE);
  swaps_count_right("MPI_UINT8_T", MPI_UINT8_T, 1);
  swaps_count_right("MPI_INT16_T", MPI_INT16_T, 2);
  swaps_count_right("MPI_INT", MPI_INT, 4);
  swaps_count_right("MPI_UINT64_T", MPI_UINT64_T, 8);
  swaps_count_right("MPI_AINT", MPI_AINT, 8);
  the_least_of_all_wins();
  free_window(&w);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  over_kinds(argc, argv, run);
  return finish();
}
