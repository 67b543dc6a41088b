/* Litmus tests of one-sided communication, each against the results that the standard permits:
 * message passing, store and load buffering, coherence, counters, a seqlock, an MCS lock, a work
 * queue. Players are ranks, or threads of ranks. usage:
 * litmus_test [threads] [rounds=N] [kind of window ...] */
#include <pthread.h>
#include <sched.h>

#include "window_kinds.h"

enum { threads_max = 4, cells = 1024, tries_max = 100000000 };

static Window w;
static int threads = 1, rounds = 40, players;

typedef struct {
  int number, thread; /* the first ones are on different ranks */
} Player;

#define HELD(condition)                                                                          \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      fprintf(stderr, "%s:%d: rank %d of %d, player %d: %s window, round %d: not so: %s\n",      \
              __FILE__, __LINE__, rank, size, p->number, kind_names[w.kind], round, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                              \
    }                                                                                            \
  } while (0)

/* ---- players ----------------------------------------------------------------------------------
 */

static int home(int player) {
  return player % size;
}

/* All threads of this rank, then all ranks. */
static void meet(const Player* p) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  static int waiting, turn;
  for (int side = 0; side < 2; ++side) {
    pthread_mutex_lock(&mutex);
    int mine = turn;
    if (++waiting == threads) {
      waiting = 0;
      ++turn;
      pthread_cond_broadcast(&changed);
    }
    while (turn == mine) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    if (side == 0 && p->thread == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* While others are waited for. */
static int again(long* tries) {
  if (++*tries % 20 == 0) sched_yield();
  return *tries < tries_max;
}

/* ---- cells ------------------------------------------------------------------------------------
 */

typedef struct {
  int rank, number;
} Cell;

static MPI_Aint at(Cell c) {
  CHECK(c.number < cells);
  return place(&w, c.rank, 8 * (MPI_Aint)c.number);
}
static void flush(Cell c) {
  MPI_Win_flush(c.rank, w.win);
}
static void set(Cell c, int64_t value) {
  MPI_Accumulate(&value, 1, MPI_INT64_T, c.rank, at(c), 1, MPI_INT64_T, MPI_REPLACE, w.win);
  flush(c);
}
static int64_t fetch(Cell c, int64_t value, MPI_Op op) {
  int64_t old = -1;
  MPI_Fetch_and_op(&value, &old, MPI_INT64_T, c.rank, at(c), op, w.win);
  flush(c);
  return old;
}
static int64_t get(Cell c) {
  return fetch(c, 0, MPI_NO_OP);
}
static int64_t swap(Cell c, int64_t compare, int64_t value) {
  int64_t old = -1;
  MPI_Compare_and_swap(&value, &compare, &old, MPI_INT64_T, c.rank, at(c), w.win);
  flush(c);
  return old;
}

/* ---- two players ------------------------------------------------------------------------------
 */

/* Pairs of players have cells of their own. */
static Cell of_pair(const Player* p, int number, int where) {
  Cell c = {(p->number / 2 + where) % size, 8 + 40 * (p->number / 2 % 8) + number};
  return c;
}
static int has_partner(const Player* p) {
  return (p->number | 1) < players && p->number / 2 < 8;
}

static int is_unified(void) {
  int *model, flag;
  MPI_Win_get_attr(w.win, MPI_WIN_MODEL, &model, &flag);
  return *model == MPI_WIN_UNIFIED;
}

enum { words = 16 };
enum { by_put, by_accumulate, by_owner };

static void write_words(Cell data, const int64_t* out, int how) {
  if (how == by_put) {
    MPI_Put(out, words, MPI_INT64_T, data.rank, at(data), words, MPI_INT64_T, w.win);
  } else if (how == by_accumulate) {
    MPI_Accumulate(out, words, MPI_INT64_T, data.rank, at(data), words, MPI_INT64_T, MPI_REPLACE,
                   w.win);
  } else {
    memcpy(w.base + 8 * data.number, out, 8 * words);
    MPI_Win_sync(w.win);
  }
  flush(data);
}
static void read_words(Cell data, int64_t* in, int how) {
  if (how == by_put) {
    MPI_Get(in, words, MPI_INT64_T, data.rank, at(data), words, MPI_INT64_T, w.win);
  } else if (how == by_accumulate) {
    MPI_Get_accumulate(NULL, 0, MPI_INT64_T, in, words, MPI_INT64_T, data.rank, at(data), words,
                       MPI_INT64_T, MPI_NO_OP, w.win);
  } else {
    MPI_Win_sync(w.win);
    memcpy(in, w.base + 8 * data.number, 8 * words);
  }
  flush(data);
}

/* Data, then a flag: who sees the flag sees the data. Now and then their owner stores or loads
 * them, where that is the same memory. */
static void message_passing(const Player* p) {
  if (!has_partner(p)) return;
  int unified = is_unified();
  for (int round = 1; round <= rounds; ++round) {
    int writer = home(p->number & ~1), reader = home(p->number | 1);
    Cell flag = of_pair(p, 0, round / 3), answer = of_pair(p, 1, round / 2);
    Cell data = of_pair(p, 8 + round % 8, round);
    int writing = round % 2 ? by_put : by_accumulate, reading = writing;
    if (unified && round % 4 == 2) writing = by_owner, data.rank = writer;
    if (unified && round % 4 == 3) reading = by_owner, data.rank = reader;
    int64_t block[words];
    long tries = 0;
    if (p->number % 2 == 0) {
      for (int i = 0; i < words; ++i) block[i] = 1000 * round + i + p->number;
      write_words(data, block, writing);
      set(flag, round);
      while (get(answer) != round) HELD(again(&tries));
    } else {
      while (get(flag) != round) HELD(again(&tries));
      read_words(data, block, reading);
      for (int i = 0; i < words; ++i) HELD(block[i] == 1000 * round + i + p->number - 1);
      set(answer, round);
    }
  }
}

/* Both players of a pair tell each other what they have read. One can be a round ahead. */
static int64_t result_of_partner(const Player* p, int round, int64_t mine) {
  int cell = 32 + 2 * (round % 2), odd = p->number % 2;
  Cell out = of_pair(p, cell + odd, round), in = of_pair(p, cell + 1 - odd, round);
  long tries = 0;
  int64_t theirs = 0;
  set(out, 10 * round + mine);
  while ((theirs = get(in)) / 10 != round) HELD(again(&tries));
  return theirs % 10;
}

/* Each writes one cell and then reads the other's: not both can miss what the other wrote, for what
 * is flushed is there. */
static void store_buffering(const Player* p) {
  if (!has_partner(p)) return;
  for (int round = 1; round <= rounds; ++round) {
    Cell mine = of_pair(p, 4 + p->number % 2, round / 2 + p->number % 2);
    Cell other = of_pair(p, 5 - p->number % 2, round / 2 + 1 - p->number % 2);
    if (round % 2)
      set(mine, round);
    else
      fetch(mine, round, MPI_REPLACE);
    int seen = get(other) == round;
    int theirs = (int)result_of_partner(p, round, seen);
    HELD(seen || theirs);
  }
}

/* Each reads the other's cell and then writes its own: not both can see what is written later. */
static void load_buffering(const Player* p) {
  if (!has_partner(p)) return;
  for (int round = rounds + 1; round <= 2 * rounds; ++round) {
    Cell mine = of_pair(p, 6 + p->number % 2, round + p->number % 2);
    Cell other = of_pair(p, 7 - p->number % 2, round + 1 - p->number % 2);
    int seen = get(other) == round;
    set(mine, round);
    int theirs = (int)result_of_partner(p, round, seen);
    HELD(!seen || !theirs);
  }
}

/* ---- all players ------------------------------------------------------------------------------
 */

/* One writes rising numbers and does not wait; the others read several times in one go. */
static void coherence(const Player* p) {
  enum { reads = 8 };
  Cell c = {size / 2, 500};
  int64_t last = 0, seen[reads], out[reads];
  int64_t end = (int64_t)rounds * reads;
  long tries = 0;
  for (int round = 0; last < end; ++round) {
    for (int i = 0; i < reads; ++i) {
      out[i] = (int64_t)round * reads + i + 1;
      if (p->number == 0)
        MPI_Accumulate(&out[i], 1, MPI_INT64_T, c.rank, at(c), 1, MPI_INT64_T, MPI_REPLACE, w.win);
      else
        MPI_Fetch_and_op(NULL, &seen[i], MPI_INT64_T, c.rank, at(c), MPI_NO_OP, w.win);
    }
    flush(c);
    for (int i = 0; i < reads; ++i) {
      if (p->number == 0) seen[i] = out[i];
      HELD(seen[i] >= last);
      last = seen[i];
    }
    HELD(again(&tries));
  }
}

static void counters(const Player* p) {
  int round = 0;
  int64_t last[2] = {-1, -1};
  Cell both[2] = {{0, 504}, {size - 1, 505}};
  for (; round < rounds; ++round)
    for (int i = 0; i < 2; ++i) {
      int64_t ticket = fetch(both[i], 1, MPI_SUM);
      HELD(ticket > last[i] && ticket < (int64_t)rounds * players);
      last[i] = ticket;
    }
  meet(p);
  for (int i = 0; i < 2; ++i) HELD(get(both[i]) == (int64_t)rounds * players);
}

/* Whoever sees the same even number before and after has read what belongs together. */
static void seqlock(const Player* p) {
  Cell sequence = {0, 512}, data = {size - 1, 520};
  int64_t block[words];
  long tries = 0;
  int round = 0;
  if (p->number == 0) {
    for (round = 1; round <= rounds; ++round) {
      for (int i = 0; i < words; ++i) block[i] = 2 * round;
      set(sequence, 2 * round - 1);
      write_words(data, block, by_accumulate);
      set(sequence, 2 * round);
    }
    return;
  }
  for (int64_t before = 0; before < 2 * rounds;) {
    HELD(again(&tries));
    before = get(sequence);
    if (before % 2) continue;
    read_words(data, block, by_accumulate);
    if (get(sequence) != before) continue;
    for (int i = 0; i < words; ++i) HELD(block[i] == before);
  }
}

/* ---- a lock -----------------------------------------------------------------------------------
 */

static Cell tail(void) {
  return (Cell){size / 2, 560};
}
static Cell next_of(int player) {
  return (Cell){home(player), 568 + player / size};
}
static Cell held_up(int player) {
  return (Cell){home(player), 576 + player / size};
}

static void acquire(const Player* p, int round) {
  long tries = 0;
  set(next_of(p->number), 0);
  set(held_up(p->number), 1);
  int64_t before = fetch(tail(), p->number + 1, MPI_REPLACE);
  if (before == 0) return;
  set(next_of((int)before - 1), p->number + 1);
  while (get(held_up(p->number))) HELD(again(&tries));
}
static void let_go(const Player* p, int round) {
  long tries = 0;
  int64_t next = get(next_of(p->number));
  if (next == 0 && swap(tail(), p->number + 1, 0) == p->number + 1) return;
  while (next == 0) {
    next = get(next_of(p->number));
    HELD(again(&tries));
  }
  set(held_up((int)next - 1), 0);
}

static void mcs_lock(const Player* p) {
  Cell counter = {size - 1, 584};
  int64_t number = -1;
  int round = 0;
  for (; round < rounds; ++round) {
    acquire(p, round);
    MPI_Get(&number, 1, MPI_INT64_T, counter.rank, at(counter), 1, MPI_INT64_T, w.win);
    flush(counter);
    HELD(number >= round);
    ++number;
    MPI_Put(&number, 1, MPI_INT64_T, counter.rank, at(counter), 1, MPI_INT64_T, w.win);
    flush(counter);
    let_go(p, round);
  }
  meet(p);
  HELD(get(counter) == (int64_t)rounds * players);
}

/* ---- a queue ----------------------------------------------------------------------------------
 */

/* A place is filled, then marked; who has its ticket waits for the mark. */
static void work_queue(const Player* p) {
  enum { places_max = 400 };
  Cell front = {0, 592}, back = {0, 593}, sums[2] = {{size / 2, 594}, {size / 2, 595}};
  int each = places_max / players < rounds ? places_max / players : rounds, round = 0;
  for (; round < each; ++round) {
    int64_t item = 1 + p->number * 1000 + round, got = -1;
    int ticket = (int)fetch(back, 1, MPI_SUM);
    Cell place_ = {ticket % size, 600 + ticket / size}, mark = {ticket % size, 800 + ticket / size};
    CHECK(ticket / size < 200);
    MPI_Put(&item, 1, MPI_INT64_T, place_.rank, at(place_), 1, MPI_INT64_T, w.win);
    flush(place_);
    set(mark, 1);
    fetch(sums[0], item * item, MPI_SUM);

    long tries = 0;
    ticket = (int)fetch(front, 1, MPI_SUM);
    place_ = (Cell){ticket % size, 600 + ticket / size};
    mark = (Cell){ticket % size, 800 + ticket / size};
    while (!get(mark)) HELD(again(&tries));
    HELD(swap(mark, 1, 2) == 1); /* nobody else takes it */
    MPI_Get(&got, 1, MPI_INT64_T, place_.rank, at(place_), 1, MPI_INT64_T, w.win);
    flush(place_);
    HELD(got > 0);
    fetch(sums[1], got * got, MPI_SUM);
  }
  meet(p);
  HELD(get(sums[0]) == get(sums[1]) && get(front) == get(back));
  HELD(get(front) == (int64_t)each * players);
}

static void* play(void* player) {
  void (*const tests[])(const Player*) = {message_passing, store_buffering, load_buffering,
                                          coherence,       counters,        seqlock,
                                          mcs_lock,        work_queue};
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i) {
    tests[i](player);
    meet(player);
  }
  return NULL;
}

static void run(WindowKind kind) {
  Player all[threads_max];
  pthread_t running[threads_max];
  w = make_window(kind, 8 * cells, 8, MPI_COMM_WORLD);
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < threads; ++i) all[i] = (Player){i * size + rank, i};
  for (int i = 1; i < threads; ++i) pthread_create(&running[i], NULL, play, &all[i]);
  play(&all[0]);
  for (int i = 1; i < threads; ++i) pthread_join(running[i], NULL);
  MPI_Win_unlock_all(w.win);
  free_window(&w);
}

int main(int argc, char** argv) {
  int provided;
  if (has_word(argc, argv, "threads")) {
    threads = 3;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(threads == 1 || provided == MPI_THREAD_MULTIPLE);
  players = threads * size;
  for (int i = 1; i < argc; ++i)
    if (strncmp(argv[i], "rounds=", 7) == 0) rounds = atoi(argv[i] + 7);
  over_kinds(argc, argv, run);
  return finish();
}
