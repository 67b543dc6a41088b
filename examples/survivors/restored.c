/* A job that is restored to its full size when ranks die: those that are left spawn new ones in their
   place. The work is a ring of cells, as in stencil.c, of which each rank has a part that stays its own;
   it keeps a copy of its left neighbour's. Who comes anew gets its part from its right neighbour; where
   both have died together, all begin again.

     mpicc -O2 restored.c -o restored && mpiexec --continue-on-failure -n 4 ./restored [CELLS [STEPS]]

   Kill ranks while it runs: the sum that it prints stays the same, and so does the number of ranks. */
#include <mpi-ext.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { steps_between_copies = 20 };

typedef uint64_t cell;

static cell next_value(cell left, cell own, cell right) {
  return (left + 2 * own + 3 * right + 1) % 1000003;
}

struct part {
  int step; /* -1: there is none */
  cell *own, *left;
};

static char *program;
static char *arguments[4];
static long cells;
static int steps, ranks, own = -1; /* this rank's part */
static MPI_Comm comm = MPI_COMM_NULL;
static struct part kept[2];
static cell *now, *next;
static int step;

static long count_of(void) {
  return cells / ranks;
}

static cell *allocate(long count) {
  cell *memory = calloc((size_t)count, sizeof(cell));
  if (!memory) MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

/* Takes a communicator in use, in the order of the parts. */
static void use(MPI_Comm ordered) {
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  comm = ordered;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

/* All of a communicator say whether they have come so far; returns whether all that live have. */
static int all_good(MPI_Comm of, int error) {
  int good = !error;
  return MPIX_Comm_agree(of, &good) == MPI_SUCCESS && good;
}

/* Orders the ranks that were left (they know their parts) and the new ones, which get the other parts. */
static int put_in_order(MPI_Comm merged) {
  int parts[ranks];
  MPI_Comm_set_errhandler(merged, MPI_ERRORS_RETURN);
  MPI_Comm ordered = MPI_COMM_NULL;
  int error = MPI_Allgather(&own, 1, MPI_INT, parts, 1, MPI_INT, merged);
  if (!error && own < 0) {
    int before = 0, rank; /* how many new ones come before this one */
    MPI_Comm_rank(merged, &rank);
    for (int i = 0; i < rank; ++i) before += parts[i] < 0;
    for (int part = 0; part < ranks && own < 0; ++part) {
      int taken = 0;
      for (int i = 0; i < ranks; ++i) taken |= parts[i] == part;
      if (!taken && before-- == 0) own = part;
    }
  }
  if (!error) error = MPI_Comm_split(merged, 0, own, &ordered);
  if (all_good(merged, error)) {
    use(ordered);
    return 1;
  }
  if (ordered != MPI_COMM_NULL) MPI_Comm_free(&ordered);
  return 0;
}

/* The ranks that are left, and as many new ones as have died, become the communicator. */
static void replace_the_dead(void) {
  for (;;) {
    MPI_Comm left, children = MPI_COMM_NULL, merged = MPI_COMM_NULL;
    int size;
    MPIX_Comm_revoke(comm);
    if (MPIX_Comm_shrink(comm, &left)) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN);
    MPI_Comm_size(left, &size);
    use(left); /* where the following fails it is shrunk again */
    if (size == ranks) return;
    int error = MPI_Comm_spawn(program, arguments, ranks - size, MPI_INFO_NULL, 0, left, &children,
                               MPI_ERRCODES_IGNORE);
    if (!all_good(left, error)) {
      if (children != MPI_COMM_NULL) MPI_Comm_free(&children);
      continue;
    }
    MPI_Comm_set_errhandler(children, MPI_ERRORS_RETURN);
    error = MPI_Intercomm_merge(children, 0, &merged);
    const int good = all_good(children, error) && put_in_order(merged);
    if (merged != MPI_COMM_NULL && merged != comm) MPI_Comm_free(&merged);
    MPI_Comm_free(&children);
    if (good) return;
  }
}

/* Gives everyone its part of the last step that all have kept. */
static int restore(void) {
  const long count = count_of();
  int latest = kept[kept[1].step > kept[0].step].step, least = -1, whole = 1;
  if (latest < 0) latest = INT32_MAX; /* this rank is new: it gets what its right neighbour has kept */
  int error = MPI_Allreduce(&latest, &least, 1, MPI_INT, MPI_MIN, comm);
  if (error) return error;
  const struct part *part = kept[0].step == least ? &kept[0] : kept[1].step == least ? &kept[1] : NULL;
  const int left = (own + ranks - 1) % ranks, right = (own + 1) % ranks;
  int has = part != NULL, right_has = 0;
  error = MPI_Sendrecv(&has, 1, MPI_INT, left, 3, &right_has, 1, MPI_INT, right, 3, comm, MPI_STATUS_IGNORE);
  if (error) return error;
  const int mine_is_there = has || right_has;
  error = MPI_Allreduce(&mine_is_there, &whole, 1, MPI_INT, MPI_MIN, comm);
  if (error) return error;
  cell *from_right = allocate(count);
  error = MPI_Sendrecv(part ? part->left : now + 1, (int)count, MPI_UINT64_T, left, 4, from_right, (int)count,
                       MPI_UINT64_T, right, 4, comm, MPI_STATUS_IGNORE);
  for (long i = 0; i < count; ++i)
    now[i + 1] = !whole  ? (cell)(own * count + i) * 2654435761u % 1000003
                 : part ? part->own[i]
                        : from_right[i];
  free(from_right);
  if (error) return error;
  step = whole && least != INT32_MAX ? least : 0;
  return MPI_SUCCESS;
}

static int keep(void) {
  struct part *part = &kept[kept[0].step > kept[1].step];
  const long count = count_of();
  const int left = (own + ranks - 1) % ranks, right = (own + 1) % ranks;
  part->step = -1;
  memcpy(part->own, now + 1, (size_t)count * sizeof(cell));
  int error = MPI_Sendrecv(part->own, (int)count, MPI_UINT64_T, right, 2, part->left, (int)count, MPI_UINT64_T,
                           left, 2, comm, MPI_STATUS_IGNORE);
  if (!error) error = MPI_Barrier(comm); /* nobody is more than a copy ahead of others */
  if (!error) part->step = step;
  return error;
}

static int one_step(void) {
  const long count = count_of();
  const int left = (own + ranks - 1) % ranks, right = (own + 1) % ranks;
  int error = MPI_Sendrecv(&now[1], 1, MPI_UINT64_T, left, 0, &now[count + 1], 1, MPI_UINT64_T, right, 0, comm,
                           MPI_STATUS_IGNORE);
  if (!error)
    error = MPI_Sendrecv(&now[count], 1, MPI_UINT64_T, right, 1, &now[0], 1, MPI_UINT64_T, left, 1, comm,
                         MPI_STATUS_IGNORE);
  if (error) return error;
  for (long i = 1; i <= count; ++i) next[i] = next_value(now[i - 1], now[i], now[i + 1]);
  cell *before = now;
  now = next;
  next = before;
  ++step;
  return MPI_SUCCESS;
}

/* Goes on with the full number of ranks. */
static void recover(void) {
  do {
    replace_the_dead();
  } while (!all_good(comm, restore()));
  kept[0].step = kept[1].step = -1;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  program = argv[0];
  cells = argc > 1 ? atol(argv[1]) : 40000;
  steps = argc > 2 ? atoi(argv[2]) : 4000;
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL)
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  else
    ranks = atoi(argv[3]);
  cells -= cells % ranks;
  char numbers[3][24];
  snprintf(numbers[0], sizeof numbers[0], "%ld", cells);
  snprintf(numbers[1], sizeof numbers[1], "%d", steps);
  snprintf(numbers[2], sizeof numbers[2], "%d", ranks);
  char *words[] = {numbers[0], numbers[1], numbers[2], NULL};
  memcpy(arguments, words, sizeof arguments);
  now = allocate(count_of() + 2);
  next = allocate(count_of() + 2);
  for (int i = 0; i < 2; ++i) kept[i] = (struct part){-1, allocate(count_of()), allocate(count_of())};
  int restarts = 0, good = 1;
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm first;
    MPIX_Comm_shrink(MPI_COMM_WORLD, &first); /* a rank may have died already */
    use(first);
    recover();
  } else {
    /* Takes the place of one that has died, unless more die meanwhile: then others come. */
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    const int error = MPI_Intercomm_merge(parent, 1, &merged);
    good = all_good(parent, error) && put_in_order(merged);
    if (good && !all_good(comm, restore())) recover();
  }
  cell sum = 0;
  while (good) {
    int error = step % steps_between_copies == 0 ? keep() : MPI_SUCCESS;
    if (!error && step < steps) error = one_step();
    if (!error && step < steps) continue;
    if (!error) {
      cell mine = 0;
      for (long i = 1; i <= count_of(); ++i) mine += now[i];
      error = MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
    } else {
      MPIX_Comm_revoke(comm);
    }
    if (all_good(comm, error)) break;
    recover();
    ++restarts;
  }
  if (good && own == 0) printf("sum %llu after %d steps on %d ranks\n", (unsigned long long)sum, steps, ranks);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
