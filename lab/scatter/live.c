/* The live part of the scatter study: scatters and gathers while some ranks are still busy in
 * earlier transfers, with the root serving in several orders, in turns within one job.
 * usage: mpiexec -n RANKS baton-scatter-live [NAME=VALUE ...]; `live.h` has names and defaults.
 * In a round all meet; pairs of busy ranks begin to exchange long messages and none goes on with
 * them; everybody sleeps until the same moment and then calls the collective, blocking. The same
 * round is repeated for each order: the same busy ranks, the same sizes. Times are from that moment
 * to: the last idle rank has left the call; the root has; everybody has, and its earlier transfers
 * have ended. All data are checked in every round, outside of the times.
 * The message path is that of the v forms; `direct` calls the plain form, which takes whatever
 * algorithm is preferred. Rank 0 prints JSON. */
#include "lab/scatter/live.h"

Live live;

void need(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "baton-scatter-live: rank %d: %s\n", live.rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void* buffer_of(size_t bytes) {
  void* memory = NULL;
  need(posix_memalign(&memory, 4096, bytes + 1) == 0, "no memory");
  memset(memory, 1, bytes + 1);
  return memory;
}

/* What lies at a place of data that one rank gives another in a round. */
static uint32_t word_of(uint32_t seed, size_t at) {
  return (seed + (uint32_t)at) * 2654435761u;
}
static void fill(char* data, size_t bytes, uint32_t seed) {
  for (size_t at = 0; at + 4 <= bytes; at += 4) {
    uint32_t word = word_of(seed, at);
    memcpy(data + at, &word, 4);
  }
}
static void check(const char* data, size_t bytes, uint32_t seed, const char* what) {
  uint32_t word;
  for (size_t at = 0; at + 4 <= bytes; at += 4) {
    memcpy(&word, data + at, 4);
    need(word == word_of(seed, at), what);
  }
}
static uint32_t seed_of(uint32_t round, int from, int to) {
  return round * 1000003u + (uint32_t)from * 4099u + (uint32_t)to * 31u;
}

/* ---- who is busy ---- */

static uint32_t draw(uint32_t* state, uint32_t below) {
  *state = *state * 1664525u + 1013904223u;
  return (uint32_t)(((uint64_t)(*state >> 8) * below) >> 24);
}

/* The same on all ranks. Busy ranks come in pairs; `bytes` is what the two send each other. */
static void draw_busy(Busy* busy, uint32_t round) {
  uint32_t state = (uint32_t)live.seed * 7919u + round;
  int others[ranks_max], count = 0, pairs = live.ranks * live.busy_percent / 200;
  for (int r = 0; r < live.ranks; ++r) {
    busy->partner[r] = -1;
    busy->bytes[r] = 0;
    if (r != live.root) others[count++] = r;
  }
  for (int i = 0; !live.busy_first && i < count; ++i) {
    int j = i + (int)draw(&state, (uint32_t)(count - i)), swapped = others[i];
    others[i] = others[j];
    others[j] = swapped;
  }
  for (int p = 0; p < pairs && 2 * p + 1 < count; ++p) {
    int a = others[2 * p], b = others[2 * p + 1];
    size_t bytes = live.earlier_min;
    /* Powers of four between the two. */
    uint32_t steps = 0;
    for (size_t most = live.earlier_min; most * 4 <= live.earlier_max; most *= 4) ++steps;
    for (uint32_t s = draw(&state, steps + 1); s > 0; --s) bytes *= 4;
    busy->partner[a] = b;
    busy->partner[b] = a;
    busy->bytes[a] = busy->bytes[b] = bytes;
  }
}

/* ---- one round ---- */

static void begin_earlier(const Busy* busy, MPI_Request requests[2]) {
  int partner = busy->partner[live.rank];
  requests[0] = requests[1] = MPI_REQUEST_NULL;
  if (partner < 0) return;
  int bytes = (int)busy->bytes[live.rank];
  MPI_Irecv(live.earlier_in, bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(live.earlier_out, bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &requests[1]);
}

static void call(const Order* order, const Cell* cell) {
  int bytes = (int)cell->block;
  if (cell->operation == scatter && order->plain)
    MPI_Scatter(live.all, bytes, MPI_BYTE, live.mine, bytes, MPI_BYTE, live.root, order->comm);
  else if (cell->operation == scatter)
    MPI_Scatterv(live.all, live.counts, live.displacements, MPI_BYTE, live.mine, bytes, MPI_BYTE,
                 live.root, order->comm);
  else if (order->plain)
    MPI_Gather(live.mine, bytes, MPI_BYTE, live.all, bytes, MPI_BYTE, live.root, order->comm);
  else
    MPI_Gatherv(live.mine, bytes, MPI_BYTE, live.all, live.counts, live.displacements, MPI_BYTE,
                live.root, order->comm);
}

static void prepare(const Cell* cell, const Busy* busy, uint32_t round) {
  size_t block = cell->block;
  int partner = busy->partner[live.rank];
  if (partner >= 0) {
    fill(live.earlier_out, busy->bytes[live.rank], seed_of(round, live.rank, partner));
    memset(live.earlier_in, 0, busy->bytes[live.rank]);
  }
  memset(live.mine, 0, block);
  for (int r = 0; live.rank == live.root && r < live.ranks; ++r) {
    live.counts[r] = (int)block;
    live.displacements[r] = (int)((size_t)r * block);
    if (cell->operation == scatter)
      fill(live.all + (size_t)r * block, block, seed_of(round, live.root, r));
    else
      memset(live.all + (size_t)r * block, 0, block);
  }
  if (cell->operation == gather) fill(live.mine, block, seed_of(round, live.rank, live.root));
}

static void check_round(const Cell* cell, const Busy* busy, uint32_t round) {
  int partner = busy->partner[live.rank];
  if (partner >= 0)
    check(live.earlier_in, busy->bytes[live.rank], seed_of(round, partner, live.rank),
          "an earlier transfer brought wrong data");
  if (cell->operation == scatter)
    check(live.mine, cell->block, seed_of(round, live.root, live.rank), "a block is wrong");
  for (int r = 0; cell->operation == gather && live.rank == live.root && r < live.ranks; ++r)
    check(live.all + (size_t)r * cell->block, cell->block, seed_of(round, r, live.root),
          "a gathered block is wrong");
}

/* All ranks leave it at the same moment, but who comes too late. */
static void sleep_until(double when_us) {
  struct timespec until = {(time_t)(when_us / 1e6), (long)(fmod(when_us, 1e6) * 1e3)};
  live.late = now_us() > when_us;
  while (!live.late && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
    continue;
}

/* False: to be repeated, somebody was not ready in time. */
static int one_round(const Cell* cell, const Order* order, uint32_t round, Times* times) {
  Busy busy;
  MPI_Request requests[2];
  draw_busy(&busy, round);
  prepare(cell, &busy, round);
  MPI_Barrier(MPI_COMM_WORLD);
  double when = now_us() + live.lead_us;
  MPI_Bcast(&when, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  begin_earlier(&busy, requests);
  sleep_until(when);
  call(order, cell);
  double ends[2] = {now_us() - when, 0}; /* of the call; of everything */
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  ends[1] = now_us() - when;
  check_round(cell, &busy, round);
  double all[2 * ranks_max];
  int late = 0;
  MPI_Gather(ends, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&live.late, &late, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (late) return 0;
  *times = (Times){0};
  for (int r = 0; live.rank == 0 && r < live.ranks; ++r) {
    if (r != live.root && busy.partner[r] < 0) times->of[idle] = fmax(times->of[idle], all[2 * r]);
    times->of[everything] = fmax(times->of[everything], all[2 * r + 1]);
  }
  if (live.rank == 0) times->of[root] = all[2 * live.root];
  return 1;
}

static void measure_cell(Cell* cell) {
  static uint32_t round = 0;
  for (int turn = -1; turn < live.rounds; ++turn) { /* the first one is for warming up */
    ++round;
    for (int i = 0; i < live.order_count; ++i) {
      int order = (i + turn + 1) % live.order_count, tries = 20;
      Times times;
      while (!one_round(cell, &live.orders[order], round, &times)) {
        need(--tries > 0, "the machine is too busy: nobody is ready in time; raise lead_us");
        ++cell->late;
      }
      if (turn >= 0) cell->times[order][turn] = times;
    }
  }
}

static void make_orders(void) {
  for (int i = 0; i < live.order_count; ++i) {
    Order* order = &live.orders[i];
    MPI_Info info;
    order->plain = !strcmp(order->name, "direct");
    MPI_Info_create(&info);
    const char* asked = !strcmp(order->name, "again") ? "rank" : order->name;
    if (!order->plain) MPI_Info_set(info, "baton_order", asked);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &order->comm);
    MPI_Info_free(&info);
  }
}

static void make_buffers(void) {
  size_t block = 0;
  for (int i = 0; i < live.cell_count; ++i)
    if (live.cells[i].block > block) block = live.cells[i].block;
  live.mine = buffer_of(block);
  live.earlier_in = buffer_of(live.earlier_max);
  live.earlier_out = buffer_of(live.earlier_max);
  if (live.rank == live.root) live.all = buffer_of(block * (size_t)live.ranks);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &live.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &live.ranks);
  int good = read_words(count, words);
  if (good) {
    make_orders();
    make_buffers();
    for (int i = 0; i < live.cell_count; ++i) {
      measure_cell(&live.cells[i]);
      if (live.rank == 0 && live.progress)
        fprintf(stderr, "%d of %d cells measured\n", i + 1, live.cell_count);
    }
    if (live.rank == 0) print_json();
    for (int i = 0; i < live.order_count; ++i) MPI_Comm_free(&live.orders[i].comm);
  }
  MPI_Finalize();
  return good ? 0 : 2;
}
