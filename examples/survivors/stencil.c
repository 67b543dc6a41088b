/* A stencil that goes on when ranks die: a ring of cells, each of which is computed from itself and its
   two neighbours, is divided among the ranks. Now and then each rank keeps its cells, and gives a copy to
   its right neighbour. When ranks have died, the others divide the ring anew and go back to the last
   copies that are complete; where a rank and its right neighbour died together, to the beginning.

     mpicc -O2 stencil.c -o stencil && mpiexec --continue-on-failure -n 8 ./stencil [CELLS [STEPS]]

   Kill ranks while it runs: the sum that it prints stays the same. */
#include <mpi-ext.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { steps_between_copies = 20 };

typedef uint64_t cell;

/* The cells [begin, end) of a rank. */
static long begin_of(long cells, int rank, int ranks) {
  return cells / ranks * rank + (rank < cells % ranks ? rank : cells % ranks);
}

static cell first_value(long i) {
  return (cell)i * 2654435761u % 1000003;
}
static cell next_value(cell left, cell own, cell right) {
  return (left + 2 * own + 3 * right + 1) % 1000003;
}

/* What a rank keeps of a step: its cells, and its left neighbour's. */
struct copy {
  int step; /* -1: nothing */
  int rank, ranks;
  cell *own, *left;
};

struct state {
  long cells;
  MPI_Comm comm;
  int rank, ranks, step;
  long begin, end;
  cell *now, *next; /* own cells, with a neighbour's on each side */
  struct copy copies[2];
};

static cell *allocate(long count) {
  cell *cells = malloc((size_t)count * sizeof(cell));
  if (!cells) MPI_Abort(MPI_COMM_WORLD, 1);
  return cells;
}

/* Takes this rank's part of the ring, of which it is given all. */
static void divide(struct state *state, const cell *ring) {
  MPI_Comm_rank(state->comm, &state->rank);
  MPI_Comm_size(state->comm, &state->ranks);
  MPI_Comm_set_errhandler(state->comm, MPI_ERRORS_RETURN);
  state->begin = begin_of(state->cells, state->rank, state->ranks);
  state->end = begin_of(state->cells, state->rank + 1, state->ranks);
  memcpy(state->now + 1, ring + state->begin, (size_t)(state->end - state->begin) * sizeof(cell));
}

static int one_step(struct state *state) {
  const long count = state->end - state->begin;
  const int left = (state->rank + state->ranks - 1) % state->ranks;
  const int right = (state->rank + 1) % state->ranks;
  cell *now = state->now;
  int error = MPI_Sendrecv(&now[1], 1, MPI_UINT64_T, left, 0, &now[count + 1], 1, MPI_UINT64_T, right, 0,
                           state->comm, MPI_STATUS_IGNORE);
  if (!error)
    error = MPI_Sendrecv(&now[count], 1, MPI_UINT64_T, right, 1, &now[0], 1, MPI_UINT64_T, left, 1,
                         state->comm, MPI_STATUS_IGNORE);
  if (error) return error;
  for (long i = 1; i <= count; ++i) state->next[i] = next_value(now[i - 1], now[i], now[i + 1]);
  state->now = state->next;
  state->next = now;
  ++state->step;
  return MPI_SUCCESS;
}

/* Keeps this step. The copy before it stays, since others may not come so far. */
static int keep_copy(struct state *state) {
  struct copy *copy = &state->copies[state->copies[0].step > state->copies[1].step];
  const int left = (state->rank + state->ranks - 1) % state->ranks;
  const int right = (state->rank + 1) % state->ranks;
  const long count = state->end - state->begin;
  const long left_count =
      begin_of(state->cells, left + 1, state->ranks) - begin_of(state->cells, left, state->ranks);
  copy->step = -1;
  memcpy(copy->own, state->now + 1, (size_t)count * sizeof(cell));
  int error = MPI_Sendrecv(copy->own, (int)count, MPI_UINT64_T, right, 2, copy->left, (int)left_count,
                           MPI_UINT64_T, left, 2, state->comm, MPI_STATUS_IGNORE);
  if (!error) error = MPI_Barrier(state->comm); /* nobody is more than a copy ahead of others */
  if (error) return error;
  copy->step = state->step;
  copy->rank = state->rank;
  copy->ranks = state->ranks;
  return MPI_SUCCESS;
}

/* Puts the ring of an earlier step together, of what those that are left have kept. Returns the error of
   a call; *whole says whether every cell was there. */
static int gather(struct state *state, int step, cell *ring, int *whole) {
  const struct copy *copy = NULL;
  for (int i = 0; i < 2; ++i)
    if (step >= 0 && state->copies[i].step == step) copy = &state->copies[i];
  cell *sent = calloc((size_t)state->cells, sizeof(cell));
  unsigned char *there = calloc((size_t)state->cells, 1);
  if (!sent || !there) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int side = 0; copy && side < 2; ++side) {
    const int of = side ? (copy->rank + copy->ranks - 1) % copy->ranks : copy->rank;
    const long from = begin_of(state->cells, of, copy->ranks);
    const long to = begin_of(state->cells, of + 1, copy->ranks);
    memcpy(sent + from, side ? copy->left : copy->own, (size_t)(to - from) * sizeof(cell));
    memset(there + from, 1, (size_t)(to - from));
  }
  /* A cell that several have kept is the same everywhere. */
  int error = MPI_Allreduce(sent, ring, (int)state->cells, MPI_UINT64_T, MPI_MAX, state->comm);
  if (!error)
    error = MPI_Allreduce(MPI_IN_PLACE, there, (int)state->cells, MPI_UNSIGNED_CHAR, MPI_MAX, state->comm);
  *whole = !memchr(there, 0, (size_t)state->cells);
  free(sent);
  free(there);
  return error;
}

/* Goes on with those that are left, from the last step that all of them have kept. */
static void recover(struct state *state) {
  cell *ring = allocate(state->cells);
  for (int done = 0; !done;) {
    MPI_Comm left;
    MPIX_Comm_revoke(state->comm);
    if (MPIX_Comm_shrink(state->comm, &left) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_free(&state->comm);
    state->comm = left;
    MPI_Comm_set_errhandler(state->comm, MPI_ERRORS_RETURN);
    int latest = state->copies[state->copies[1].step > state->copies[0].step].step, step, whole = 0;
    int error = MPI_Allreduce(&latest, &step, 1, MPI_INT, MPI_MIN, state->comm);
    if (!error) error = gather(state, step, ring, &whole);
    int good = !error;
    done = MPIX_Comm_agree(state->comm, &good) == MPI_SUCCESS && good;
    if (!done) continue;
    if (!whole) {
      step = 0;
      for (long i = 0; i < state->cells; ++i) ring[i] = first_value(i);
    }
    state->step = step;
  }
  divide(state, ring);
  state->copies[0].step = state->copies[1].step = -1;
  free(ring);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct state state = {.cells = argc > 1 ? atol(argv[1]) : 100000};
  const int steps = argc > 2 ? atoi(argv[2]) : 2000;
  MPIX_Comm_shrink(MPI_COMM_WORLD, &state.comm); /* a rank may have died already */
  state.now = allocate(state.cells + 2);
  state.next = allocate(state.cells + 2);
  for (int i = 0; i < 2; ++i)
    state.copies[i] = (struct copy){-1, 0, 1, allocate(state.cells), allocate(state.cells)};
  cell *ring = allocate(state.cells);
  for (long i = 0; i < state.cells; ++i) ring[i] = first_value(i);
  divide(&state, ring);
  free(ring);
  int recoveries = 0;
  cell sum = 0;
  for (int done = 0; !done;) {
    int error = MPI_SUCCESS;
    if (state.step % steps_between_copies == 0) error = keep_copy(&state);
    if (!error && state.step < steps) error = one_step(&state);
    int good = !error;
    if (!error && state.step < steps) continue;
    if (!error) {
      cell own = 0;
      for (long i = 1; i <= state.end - state.begin; ++i) own += state.now[i];
      good = MPI_Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, state.comm) == MPI_SUCCESS;
    } else {
      MPIX_Comm_revoke(state.comm);
    }
    /* At the end all agree that it is the end, or go back together. */
    done = MPIX_Comm_agree(state.comm, &good) == MPI_SUCCESS && good;
    if (done) break;
    recover(&state);
    ++recoveries;
  }
  if (state.rank == 0)
    printf("sum %llu after %d steps, %d of the ranks are left, %d recoveries\n", (unsigned long long)sum,
           steps, state.ranks, recoveries);
  MPI_Comm_free(&state.comm);
  for (int i = 0; i < 2; ++i) {
    free(state.copies[i].own);
    free(state.copies[i].left);
  }
  free(state.now);
  free(state.next);
  MPI_Finalize();
  return 0;
}
