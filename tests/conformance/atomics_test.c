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

/* So often that changes meet: each rank adds to one element as quickly as it can. */
static void none_of_many_is_lost(int i) {
  enum { rounds = 4000 };
  Type t = type_number(i);
  unsigned char ones[32] = {0}, old[32];
  int target = size - 1;
  type_name = t.name;
  write_number(&t, 1, ones);
  clear();
  MPI_Win_lock_all(0, w.win);
  for (int round = 0; round < rounds; ++round)
    if (round % 8)
      MPI_Accumulate(ones, 1, t.type, target, place(&w, target, 32), 1, t.type, MPI_SUM, w.win);
    else
      MPI_Fetch_and_op(ones, old, t.type, target, place(&w, target, 32), MPI_SUM, w.win);
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&w);
  if (rank == target) HELD(is_number(&t, (double)rounds * size, w.base + 32));
  end_local(&w);
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

/* A pair of a type, in memory. */
typedef struct {
  const char* name;
  MPI_Datatype type;
  size_t extent, index_at, gap_at; /* 4 bytes are there; 0: no gap of so many */
} PairType;

static void write_pair(const PairType* t, int value, int index, unsigned char* to) {
  double real = value;
  long whole = value;
  short narrow = (short)value;
  if (t->type == MPI_DOUBLE_INT) memcpy(to, &real, sizeof real);
  if (t->type == MPI_LONG_INT) memcpy(to, &whole, sizeof whole);
  if (t->type == MPI_SHORT_INT) memcpy(to, &narrow, sizeof narrow);
  if (t->type == MPI_2INT) memcpy(to, &value, sizeof value);
  memcpy(to + t->index_at, &index, sizeof index);
}

/* Each rank has pairs of its own making; meanwhile numbers in the gaps of the same pairs are
 * counted up, which are elements of another kind. */
static void the_least_of_all_wins(const PairType* t) {
  enum { many = 40, rounds = 10 };
  struct {
    int value, index;
  } wanted[many];
  unsigned char mine[16 * many] = {0}, got[16 * many], pair[16];
  const int one = 1;
  uint64_t random = 17;
  int target = size - 1, counted;
  type_name = t->name;
  clear();
  for (int i = 0; i < many; ++i) wanted[i].value = 1000, wanted[i].index = 0;
  if (rank == target) {
    begin_local(&w);
    for (int i = 0; i < many; ++i) write_pair(t, 1000, 0, w.base + (size_t)i * t->extent);
    end_local(&w);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, w.win);
  for (int round = 0; round < rounds; ++round)
    for (int from = 0; from < size; ++from) {
      for (int i = 0; i < many; ++i) {
        int value = (int)(next_random(&random) % 50), index = (int)(next_random(&random) % 1000);
        if (from == rank) write_pair(t, value, index, mine + (size_t)i * t->extent);
        if (value < wanted[i].value || (value == wanted[i].value && index < wanted[i].index))
          wanted[i].value = value, wanted[i].index = index;
      }
      if (from != rank) continue;
      int count = round % 2 ? many : 1; /* the first one by itself, too */
      MPI_Fetch_and_op(mine, pair, t->type, target, place(&w, target, 0), MPI_MINLOC, w.win);
      MPI_Accumulate(mine, count, t->type, target, place(&w, target, 0), count, t->type, MPI_MINLOC,
                     w.win);
      for (int i = count; i < many; ++i)
        MPI_Accumulate(mine + (size_t)i * t->extent, 1, t->type, target,
                       place(&w, target, i * (MPI_Aint)t->extent), 1, t->type, MPI_MINLOC, w.win);
      for (int i = 0; t->gap_at && i < many; ++i)
        MPI_Accumulate(&one, 1, MPI_INT, target,
                       place(&w, target, (MPI_Aint)((size_t)i * t->extent + t->gap_at)), 1, MPI_INT,
                       MPI_SUM, w.win);
      MPI_Win_flush_local(target, w.win);
    }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&w);
  memcpy(got, w.base, many * t->extent);
  end_local(&w);
  for (int i = 0; rank == target && i < many; ++i) {
    const unsigned char* at = got + (size_t)i * t->extent;
    memcpy(pair, at, t->extent); /* gaps included */
    write_pair(t, wanted[i].value, wanted[i].index, pair);
    HELD(memcmp(at, pair, t->extent) == 0);
    if (!t->gap_at) continue;
    memcpy(&counted, at + t->gap_at, sizeof counted);
    HELD(counted == rounds * size);
  }
}

/* All replace a pair, all read it: value and index are of one rank. */
static void pairs_are_whole(const PairType* t) {
  enum { rounds = 60 };
  int target = size / 2;
  type_name = t->name;
  clear();
  MPI_Win_lock_all(0, w.win);
  for (int round = 0; round < rounds; ++round) {
    unsigned char mine[16] = {0}, got[16] = {0}, whole[16];
    int number = 100 * rank + round, index;
    write_pair(t, number, number, mine);
    MPI_Fetch_and_op(mine, got, t->type, target, place(&w, target, 64), MPI_REPLACE, w.win);
    MPI_Fetch_and_op(NULL, got, t->type, target, place(&w, target, 64), MPI_NO_OP, w.win);
    MPI_Win_flush(target, w.win);
    memcpy(whole, got, sizeof whole);
    memcpy(&index, got + t->index_at, sizeof index);
    write_pair(t, index, index, whole);
    HELD(memcmp(got, whole, t->extent) == 0);
  }
  MPI_Win_unlock_all(w.win);
}

static void run_pairs(void) {
  const PairType pairs[] = {{"MPI_2INT", MPI_2INT, 8, 4, 0},
                            {"MPI_SHORT_INT", MPI_SHORT_INT, 8, 4, 0},
                            {"MPI_DOUBLE_INT", MPI_DOUBLE_INT, 16, 8, 12},
                            {"MPI_LONG_INT", MPI_LONG_INT, 16, 8, 12}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
    the_least_of_all_wins(&pairs[i]);
    pairs_are_whole(&pairs[i]);
  }
}

/* The same of 16 bytes, whose halves count up together; where there is such a type. */
static void long_swaps_count_right(void) {
  enum { each = 40, tries_max = 100000000 };
  int bytes = 0, target = size - 1;
  uint64_t number[2] = {0, 0}, next[2], got[2];
  type_name = "MPI_INTEGER16";
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int code = MPI_Type_size(MPI_INTEGER16, &bytes);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  if (code != MPI_SUCCESS || bytes != 16) return;
  clear();
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < each; ++i)
    for (long tries = 0;; ++tries) {
      HELD(tries < tries_max);
      next[0] = number[0] + 1, next[1] = number[1] - 1;
      MPI_Compare_and_swap(next, number, got, MPI_INTEGER16, target, place(&w, target, 48), w.win);
      MPI_Win_flush(target, w.win);
      HELD(got[0] + got[1] == 0);
      int swapped = memcmp(got, number, sizeof got) == 0;
      memcpy(number, swapped ? next : got, sizeof number);
      if (swapped) break;
    }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&w);
  memcpy(got, w.base + 48, sizeof got);
  if (rank == target) HELD(got[0] == (uint64_t)each * (uint64_t)size && got[0] + got[1] == 0);
  end_local(&w);
}

static void run(WindowKind kind) {
  w = make_window(kind, window_bytes, 1, MPI_COMM_WORLD);
  for (int i = 0; i < type_count; ++i) sums_are_exact(i);
  for (int i = 0; i < type_count; ++i)
    if (types[i].bytes > 2) none_of_many_is_lost(i);
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
  long_swaps_count_right();
  run_pairs();
  free_window(&w);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  over_kinds(argc, argv, run);
  return finish();
}
