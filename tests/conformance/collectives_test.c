/* Every collective in every form against a reference that each rank works out alone: at all roots,
 * in place, with sizes round the limits, other shapes of data on each rank, all operations; then
 * random cases. On the world, on parts of it, and between two parts.
 *
 * usage: collectives_test [COLLECTIVE ...] [blocking|nonblocking|persistent ...] [inter] [ordinary]
 *                         [waits] [seed=N] [cases=N] [operations=N]
 * ordinary: no user operations on types with lower bounds and negative extents, the same shapes at
 * all receivers, and between groups basic types and root 0: some other MPIs get the rest wrong.
 * cases: random ones a collective and form. operations: every Nth only. */
#include "collectives_operations.h"
#include "collectives_plan.h"
#include "collectives_run.h"
#include "sides.h"

static uint64_t shared_random, own_random;
static long cases, operations_step;

/* All roots, in place or not, short and long. */
static void at_every_root(Collective what, Form form, Group g) {
  const long bytes[] = {8, 5000};
  int ranks = g.size > g.peers ? g.size : g.peers, step = ranks > 9 ? 7 : 1;
  for (int side = 0; side <= g.inter; ++side)
    for (int root = 0; root < (is_rooted(what) ? ranks : 1); root += step)
      for (int i = 0; i < 4; ++i) {
        Plan p = make_plan(what, form, &g, root, side, bytes[i / 2]);
        p.in_place = i % 2 && tries_in_place(what, &g);
        p.large = (root + i) % 2;
        p.uneven = (uint64_t)(root * 10 + i);
        run_alone(&p, g, &own_random);
      }
}

static void round_the_limits(Collective what, Form form, Group g) {
  const long bytes[] = {0,    4,    48,    52,    64,    508,   512,    516,       4096,
                        4100, 8192, 16384, 65532, 65536, 65540, 131072, 300 * 1024};
  int count = what == barrier ? 1 : sizeof bytes / sizeof *bytes;
  for (int i = 0; i < count; ++i) {
    Plan p = make_plan(what, form, &g, i, i % 2, bytes[i]);
    p.in_place = i % 3 == 1 && tries_in_place(what, &g);
    p.uneven = (uint64_t)i;
    run_alone(&p, g, &own_random);
  }
}

static void with_every_operation(Collective what, Form form, Group g) {
  if (!is_reduction(what)) return;
  for (int i = 0; i < operation_count; ++i) {
    if (i % operations_step && i < first_user_operation) continue;
    const long elements[] = {1, 7, 130, 2600};
    for (int k = 0; k < (i < first_user_operation ? 2 : 4); ++k) {
      Plan p = make_plan(what, form, &g, i + k, k % 2, 0);
      p.operation = &operations[i];
      p.elements = elements[i < first_user_operation ? (i + 2 * k) % 4 : k];
      if (p.elements * p.operation->size > longest_bytes(what, &g)) p.elements = 7;
      p.in_place = (i + k) % 3 == 0 && tries_in_place(what, &g);
      p.large = (i + k) % 2;
      p.uneven = (uint64_t)(i + k);
      run_alone(&p, g, &own_random);
    }
  }
}

static void at_random(Collective what, Form form, Group g) {
  for (long i = 0; i < (what == barrier ? 1 : cases); ++i) {
    Plan p = random_plan(what, form, &g, &shared_random);
    run_alone(&p, g, &own_random);
  }
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/* Nobody leaves before the last has come: of the other side, if there are two. Times are compared
 * by the ranks of the world, which share a machine and its clock. */
static void barrier_holds_everybody_back(Form form, Group g, MPI_Comm both) {
  Call call = {.what = barrier, .comm = g.comm};
  MPI_Request request = MPI_REQUEST_NULL;
  int all, me;
  MPI_Comm_size(both, &all);
  MPI_Comm_rank(both, &me);
  long long mine[3], *times = malloc((size_t)all * sizeof mine);
  if (form == persistent) make_call(&call, form, &request);
  for (int round = 0; round < 20; ++round) {
    pause_some(&own_random, 3000);
    mine[0] = g.side;
    mine[1] = now();
    if (form == persistent)
      MPI_Start(&request);
    else
      make_call(&call, form, &request);
    if (form != blocking) MPI_Wait(&request, MPI_STATUS_IGNORE);
    mine[2] = now();
    memcpy(times + 3 * me, mine, sizeof mine);
    for (int r = 0; r < all; ++r)
      MPI_Sendrecv(mine, 3, MPI_LONG_LONG, (me + r) % all, round,
                   times + 3 * ((me + all - r) % all), 3, MPI_LONG_LONG, (me + all - r) % all,
                   round, both, MPI_STATUS_IGNORE);
    for (int r = 0; r < all; ++r)
      CHECK((g.inter && times[3 * r] == g.side) || times[3 * r + 1] <= mine[2]);
  }
  if (form == persistent) MPI_Request_free(&request);
  free(times);
}

static void check_all(Group g, MPI_Comm both, unsigned which, unsigned which_forms) {
  for (int what = 0; what < collectives; ++what)
    for (int form = 0; form < forms; ++form) {
      if (!(which >> what & 1) || !(which_forms >> form & 1)) continue;
      if (g.inter && (what == scan || what == exscan)) continue;
      if (what == barrier) barrier_holds_everybody_back((Form)form, g, both);
      at_every_root((Collective)what, (Form)form, g);
      round_the_limits((Collective)what, (Form)form, g);
      with_every_operation((Collective)what, (Form)form, g);
      at_random((Collective)what, (Form)form, g);
    }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  unsigned which = words_in(argc, argv, collective_names, collectives);
  unsigned which_forms = words_in(argc, argv, form_names, forms);
  long seed = number_in(argc, argv, "seed", 1);
  cases = number_in(argc, argv, "cases", 60);
  operations_step = number_in(argc, argv, "operations", 1);
  shared_random = (uint64_t)seed;
  own_random = (uint64_t)(seed * 1000 + rank + 1);
  if (rank == 0) printf("seed %ld\n", seed);
  ordinary = has_word(argc, argv, "ordinary");
  only_waits = has_word(argc, argv, "waits");
  make_operations(ordinary);
  if (has_word(argc, argv, "inter")) {
    Sides sides = make_sides(MPI_COMM_WORLD, 1);
    check_all(group_between(sides.inter, sides.side), MPI_COMM_WORLD, which, which_forms);
    free_sides(&sides);
  } else {
    check_all(group_of(MPI_COMM_WORLD), MPI_COMM_WORLD, which, which_forms);
    cases /= 4;
    operations_step *= 7;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    check_all(group_of(half), half, which, which_forms);
    MPI_Comm_free(&half);
  }
  free_operations();
  return finish();
}
