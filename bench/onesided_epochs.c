/* What begins and ends epochs, and a halo exchange by puts, of any number of ranks:
 *   fence       empty, and with a put of 8 bytes to the next rank
 *   lock        of all ranks to the last one, which waits in MPI: empty, and with a put of 8 bytes
 *   post_start  two ranks: one puts 8 bytes into the other
 *   halo_put    a ring: each puts into both of its neighbors, between fences, or between
 *               post and wait; what is put has just been written, what came is read.
 * The value is that of the slowest rank. */
#include <stdio.h>
#include <string.h>

#include "onesided.h"

static double slowest(Step* step, Exchange* x) {
  double mine = measure(step, x), value = 0;
  MPI_Reduce(&mine, &value, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return value;
}

/* --- steps */

static void fence(Exchange* x) {
  const Access* a = x->more;
  MPI_Win_fence(0, a->window->win);
}

static void put_fence(Exchange* x) {
  issue(x, 0);
  fence(x);
}

void lock_unlock(Exchange* x) {
  const Access* a = x->more;
  if (rank == a->target) return;
  MPI_Win_lock(a->lock_type, a->target, 0, a->window->win);
  MPI_Win_unlock(a->target, a->window->win);
}

void lock_put_unlock(Exchange* x) {
  const Access* a = x->more;
  if (rank == a->target) return;
  MPI_Win_lock(a->lock_type, a->target, 0, a->window->win);
  issue(x, 0);
  MPI_Win_unlock(a->target, a->window->win);
}

static MPI_Group group_of(int count, const int* members) {
  MPI_Group all, some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, count, members, &some);
  MPI_Group_free(&all);
  return some;
}

static MPI_Group other; /* of two ranks */

static void post_start(Exchange* x) {
  const Access* a = x->more;
  if (rank == a->target) {
    MPI_Win_post(other, 0, a->window->win);
    MPI_Win_wait(a->window->win);
  } else {
    MPI_Win_start(other, 0, a->window->win);
    issue(x, 0);
    MPI_Win_complete(a->window->win);
  }
}

/* --- the cells of epochs */

/* A step once, and whether what it puts is there. */
static void check_put(Step* step, Exchange* x, int from) {
  const Access* a = x->more;
  int64_t mark = 100 + rank, found = 0;
  memcpy(x->out, &mark, sizeof mark);
  step(x);
  MPI_Barrier(MPI_COMM_WORLD);
  if (from < 0) return;
  if (step != put_fence) MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a->window->win);
  memcpy(&found, a->window->memory, sizeof found);
  if (step != put_fence) MPI_Win_unlock(rank, a->window->win);
  require_result(found == 100 + from, "a put in an epoch");
}

static void cell_of(const char* name, Step* step, Exchange* x) {
  const Access* a = x->more;
  double value = slowest(step, x);
  if (rank == 0) printf("cell %s/%s %.4f\n", name, kind_names[a->window->kind], value);
  fflush(stdout);
}

static void fences(Exchange* x) {
  Access* a = x->more;
  a->target = (rank + 1) % ranks;
  fence(x);
  check_put(put_fence, x, (rank + ranks - 1) % ranks);
  cell_of("fence/empty", fence, x);
  cell_of("fence/put", put_fence, x);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, a->window->win);
}

static void locks(Exchange* x) {
  Access* a = x->more;
  a->target = ranks - 1;
  if (ranks == 2) check_put(lock_put_unlock, x, rank == 1 ? 0 : -1);
  cell_of("lock/exclusive", lock_unlock, x);
  cell_of("lock/exclusive/put", lock_put_unlock, x);
  a->lock_type = MPI_LOCK_SHARED;
  cell_of("lock/shared", lock_unlock, x);
  /* Of more ranks, these puts would be to one place at once. */
  if (ranks == 2) cell_of("lock/shared/put", lock_put_unlock, x);
}

static void posts(Exchange* x) {
  Access* a = x->more;
  int partner = 1 - rank;
  if (ranks != 2) return;
  a->target = 1;
  other = group_of(1, &partner);
  check_put(post_start, x, rank == 1 ? 0 : -1);
  cell_of("post_start/put", post_start, x);
  MPI_Group_free(&other);
}

int epochs_of(const char* metric) {
  Step* cells = !strcmp(metric, "fence")        ? fences
                : !strcmp(metric, "lock")       ? locks
                : !strcmp(metric, "post_start") ? posts
                                                : NULL;
  if (!cells) return 0;
  for (Kind kind = allocated; kind < window_kinds; ++kind) {
    Window w = window_of(kind, 64);
    Access a = {&w, put, 1, 0, MPI_LOCK_EXCLUSIVE, 0};
    Exchange x = {buffer_of(64), buffer_of(64), 8, 0, 0, &a, 0};
    cells(&x);
    free(x.out);
    free(x.in);
    free_window(&w);
  }
  return 1;
}

/* --- the halo exchange */

typedef struct {
  Window window; /* a place for what comes from the left, one from the right; twice, in turns */
  size_t place;  /* the length of one, whole lines */
  int left, right;
  MPI_Group neighbors;
  char* out; /* to the left, to the right */
  size_t bytes;
} Ring;

/* What the left neighbor gets comes from its right. */
static void put_both(const Ring* r, size_t turn) {
  const int bytes = (int)r->bytes;
  const MPI_Aint from_left = (MPI_Aint)(2 * turn * r->place),
                 from_right = from_left + (MPI_Aint)r->place;
  MPI_Put(r->out, bytes, MPI_BYTE, r->left, from_right, bytes, MPI_BYTE, r->window.win);
  MPI_Put(r->out + r->place, bytes, MPI_BYTE, r->right, from_left, bytes, MPI_BYTE, r->window.win);
}

static void write_both(Exchange* x, const Ring* r) {
  ++x->turn;
  write_lines(r->out, r->bytes, x->turn);
  write_lines(r->out + r->place, r->bytes, x->turn);
}

static void read_both(const Ring* r, size_t turn) {
  sink += read_lines(r->window.memory + 2 * turn * r->place, r->bytes);
  sink += read_lines(r->window.memory + (2 * turn + 1) * r->place, r->bytes);
}

/* A neighbor may be one fence ahead: what it puts then goes to the places of the other turn. */
static void halo_by_fence(Exchange* x) {
  const Ring* r = x->more;
  write_both(x, r);
  put_both(r, x->turn & 1);
  MPI_Win_fence(0, r->window.win);
  read_both(r, x->turn & 1);
}

static void halo_by_post(Exchange* x) {
  const Ring* r = x->more;
  MPI_Win_post(r->neighbors, 0, r->window.win);
  write_both(x, r);
  MPI_Win_start(r->neighbors, 0, r->window.win);
  put_both(r, 0);
  MPI_Win_complete(r->window.win);
  MPI_Win_wait(r->window.win);
  read_both(r, 0);
}

/* One step of each rank with a mark of its own, at the places of turn 1 or 0. */
static void check_halo(Step* step, Exchange* x) {
  const Ring* r = x->more;
  uint32_t found[2];
  x->turn = (uint32_t)rank << 16;
  step(x);
  for (size_t side = 0; side < 2; ++side)
    memcpy(&found[side], r->window.memory + ((step == halo_by_fence) * 2 + side) * r->place, 4);
  if (r->bytes >= sizeof *found) {
    require_result(found[0] == ((uint32_t)r->left << 16) + 1, "a halo exchange, from the left");
    require_result(found[1] == ((uint32_t)r->right << 16) + 1, "a halo exchange, from the right");
  }
  x->turn = 1;
}

static double measure_ring(Ring* r, Step* step) {
  Exchange x = {NULL, NULL, r->bytes, 1, 0, r, 0};
  if (step == halo_by_fence) MPI_Win_fence(0, r->window.win);
  check_halo(step, &x);
  double value = slowest(step, &x);
  if (step == halo_by_fence) MPI_Win_fence(MPI_MODE_NOSUCCEED, r->window.win);
  return value;
}

static void ring_of(Kind kind, size_t bytes) {
  Ring r = {.bytes = bytes, .left = (rank + ranks - 1) % ranks, .right = (rank + 1) % ranks};
  int neighbors[2] = {r.left, r.right};
  char variant[64];
  r.place = (bytes + line_bytes - 1) / line_bytes * line_bytes;
  r.out = buffer_of(2 * r.place);
  r.neighbors = group_of(r.left == r.right ? 1 : 2, neighbors);
  for (int by_post = 0; by_post < 2; ++by_post) {
    r.window = window_of(kind, 4 * r.place);
    double value = measure_ring(&r, by_post ? halo_by_post : halo_by_fence);
    snprintf(variant, sizeof variant, "/%s/%s", by_post ? "post" : "fence", kind_names[kind]);
    print_cell("halo_put", variant, bytes, value);
    free_window(&r.window);
  }
  MPI_Group_free(&r.neighbors);
  free(r.out);
}

void halo_by_puts(int count, char** sizes) {
  for (Kind kind = allocated; kind < window_kinds; ++kind)
    for (int i = 0; i < count; ++i) ring_of(kind, strtoul(sizes[i], NULL, 10));
}
