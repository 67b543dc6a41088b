/* Collectives between two groups: what one side gives, the other gets. */
#include "conformance.h"
#include "sides.h"

static Sides s;

static int* numbers(int count) {
  int* made = malloc(sizeof(int) * (size_t)(count + 1));
  for (int i = 0; i <= count; ++i) made[i] = -7;
  return made;
}

/* The root of side `giver` as each process has to name it. */
static int root_of(int giver, int root) {
  if (s.side != giver) return root;
  return s.rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void broadcast_reaches_the_other_side_only(int count) {
  for (int giver = 0; giver < 2; ++giver) {
    int givers = s.side == giver ? s.own : s.others;
    for (int root = 0; root < givers; ++root) {
      int* data = numbers(count);
      if (s.side == giver && s.rank == root)
        for (int i = 0; i < count; ++i) data[i] = root * 100 + i;
      MPI_Bcast(data, count, MPI_INT, root_of(giver, root), s.inter);
      for (int i = 0; i < count; ++i) {
        int untouched = s.side == giver && s.rank != root;
        CHECK(data[i] == (untouched ? -7 : root * 100 + i));
      }
      CHECK(data[count] == -7);
      free(data);
    }
  }
}

static void reduce_collects_the_other_side(int count, MPI_Op op, int base) {
  for (int taker = 0; taker < 2; ++taker) {
    int takers = s.side == taker ? s.own : s.others;
    for (int root = 0; root < takers; ++root) {
      int *in = numbers(count), *out = numbers(count);
      for (int i = 0; i < count; ++i) in[i] = s.rank + 1 + i;
      int named = root_of(taker, root);
      /* What a bystander names is not looked at: no sum of bytes is asked for. */
      MPI_Reduce(in, out, count, named == MPI_PROC_NULL ? MPI_BYTE : MPI_INT, op, named, s.inter);
      int is_root = s.side == taker && s.rank == root;
      for (int i = 0; i < count; ++i) {
        int expected = base < 0 ? 0 : 1 + i;
        if (base < 0)
          for (int r = 0; r < s.others; ++r) expected += r + 1 + i;
        CHECK(out[i] == (is_root ? expected : -7));
      }
      free(in);
      free(out);
    }
  }
}

/* Keeps the left argument: the result is rank 0's, and any reordering shows. */
static void keep_left(void* in, void* inout, int* count, MPI_Datatype* type) {
  memcpy(inout, in, sizeof(int) * (size_t)*count);
}

static void allreduce_swaps_the_results(int count) {
  int *in = numbers(count), *out = numbers(count);
  for (int i = 0; i < count; ++i) in[i] = (s.side + 1) * (s.rank + 1) + i;
  MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, s.inter);
  for (int i = 0; i < count; ++i) {
    int expected = 0;
    for (int r = 0; r < s.others; ++r) expected += (2 - s.side) * (r + 1) + i;
    CHECK(out[i] == expected);
  }
  CHECK(out[count] == -7);
  free(in);
  free(out);
}

static void gather_and_scatter_serve_the_other_side(int count) {
  for (int taker = 0; taker < 2; ++taker) {
    int takers = s.side == taker ? s.own : s.others;
    for (int root = 0; root < takers; ++root) {
      int is_root = s.side == taker && s.rank == root, total = s.others * count;
      int *mine = numbers(count), *all = numbers(total);
      for (int i = 0; i < count; ++i) mine[i] = s.rank * 1000 + i;
      MPI_Gather(mine, count, MPI_INT, all, count, MPI_INT, root_of(taker, root), s.inter);
      for (int i = 0; i < total; ++i)
        CHECK(all[i] == (is_root ? i / count * 1000 + i % count : -7));
      for (int i = 0; i < total; ++i) all[i] = 5 * i;
      for (int i = 0; i < count; ++i) mine[i] = -7;
      MPI_Scatter(all, count, MPI_INT, mine, count, MPI_INT, root_of(taker, root), s.inter);
      for (int i = 0; i < count; ++i)
        CHECK(mine[i] == (s.side == taker ? -7 : 5 * (s.rank * count + i)));
      free(mine);
      free(all);
    }
  }
}

/* Rank r gives r + 1 numbers; blocks lie with gaps. */
static void uneven_blocks_find_their_places(void) {
  int *counts = numbers(s.others), *places = numbers(s.others), total = 0;
  for (int r = 0; r < s.others; ++r) {
    counts[r] = r + 1;
    places[r] = total;
    total += counts[r] + 1;
  }
  int *mine = numbers(s.rank + 1), *all = numbers(total);
  for (int i = 0; i <= s.rank; ++i) mine[i] = s.rank * 10 + i;
  MPI_Allgatherv(mine, s.rank + 1, MPI_INT, all, counts, places, MPI_INT, s.inter);
  for (int r = 0; r < s.others; ++r) {
    for (int i = 0; i < counts[r]; ++i) CHECK(all[places[r] + i] == r * 10 + i);
    if (r > 0) CHECK(all[places[r] - 1] == -7);
  }
  for (int i = 0; i < total; ++i) all[i] = -7;
  MPI_Gatherv(mine, s.rank + 1, MPI_INT, all, counts, places, MPI_INT, root_of(0, 0), s.inter);
  int is_root = s.side == 0 && s.rank == 0;
  for (int r = 0; r < s.others; ++r)
    for (int i = 0; i < counts[r]; ++i) CHECK(all[places[r] + i] == (is_root ? r * 10 + i : -7));
  for (int i = 0; i <= s.rank; ++i) mine[i] = -7;
  for (int r = 0; r < s.others; ++r)
    for (int i = 0; i < counts[r]; ++i) all[places[r] + i] = r * 20 + i;
  MPI_Scatterv(all, counts, places, MPI_INT, mine, s.rank + 1, MPI_INT, root_of(1, 0), s.inter);
  for (int i = 0; i <= s.rank; ++i) CHECK(mine[i] == (s.side == 0 ? s.rank * 20 + i : -7));
  free(counts);
  free(places);
  free(mine);
  free(all);
}

static void everybody_tells_everybody_on_the_other_side(int count) {
  int total = s.others * count;
  int *mine = numbers(count), *all = numbers(total), *out = numbers(total), *in = numbers(total);
  for (int i = 0; i < count; ++i) mine[i] = s.side * 100000 + s.rank * 1000 + i;
  MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, s.inter);
  for (int i = 0; i < total; ++i)
    CHECK(all[i] == (1 - s.side) * 100000 + i / count * 1000 + i % count);
  for (int i = 0; i < total; ++i) out[i] = (s.side * 100 + s.rank) * 100 + i / count;
  MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, s.inter);
  for (int i = 0; i < total; ++i) CHECK(in[i] == ((1 - s.side) * 100 + i / count) * 100 + s.rank);
  int *counts = numbers(s.others), *places = numbers(s.others), *expected = numbers(s.others);
  for (int r = 0; r < s.others; ++r) {
    counts[r] = (s.rank + r) % 2;
    places[r] = r * count;
    expected[r] = in[r * count];
  }
  for (int i = 0; i < total; ++i) in[i] = -7;
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, s.inter);
  for (int r = 0; r < s.others; ++r) CHECK(in[r * count] == (counts[r] ? expected[r] : -7));
  free(mine);
  free(all);
  free(out);
  free(in);
  free(counts);
  free(places);
  free(expected);
}

/* Nobody leaves before all of the other side have come. */
static void barrier_waits_for_the_other_side(void) {
  for (int round = 0; round < 20; ++round) {
    int flag = 0, token = round;
    MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)s.others);
    for (int r = 0; r < s.others; ++r) MPI_Isend(&token, 1, MPI_INT, r, 5, s.inter, &requests[r]);
    MPI_Barrier(s.inter);
    /* Their messages were sent before they came. */
    for (int r = 0; r < s.others; ++r) {
      MPI_Iprobe(r, 5, s.inter, &flag, MPI_STATUS_IGNORE);
      if (!flag) MPI_Iprobe(r, 5, s.inter, &flag, MPI_STATUS_IGNORE);
      CHECK(flag);
      MPI_Recv(&token, 1, MPI_INT, r, 5, s.inter, MPI_STATUS_IGNORE);
      CHECK(token == round);
    }
    MPI_Waitall(s.others, requests, MPI_STATUSES_IGNORE);
    free(requests);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  s = make_sides(MPI_COMM_WORLD, 1);
  MPI_Op left;
  MPI_Op_create(keep_left, 0, &left);
  int counts[] = {1, 5, 3000, 50000};
  for (int i = 0; i < 4; ++i) {
    broadcast_reaches_the_other_side_only(counts[i]);
    reduce_collects_the_other_side(counts[i], MPI_SUM, -1);
    reduce_collects_the_other_side(counts[i], left, 0);
    allreduce_swaps_the_results(counts[i]);
    gather_and_scatter_serve_the_other_side(counts[i]);
    everybody_tells_everybody_on_the_other_side(counts[i]);
  }
  uneven_blocks_find_their_places();
  barrier_waits_for_the_other_side();
  MPI_Op_free(&left);
  free_sides(&s);
  return finish();
}
