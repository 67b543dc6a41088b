/* As many ranks as a large node has cores, more than there are here: short collectives of each kind
   on the world, a duplicate and the halves of it. rank 0 prints how long each took, the first time
   and again, and what the job holds of shared memory. */
#include "arena.h"
#include "conformance.h"

static long long *out, *in;

static void barrier(MPI_Comm comm, int me, int ranks) {
  (void)me, (void)ranks;
  MPI_Barrier(comm);
}
static void allreduce(MPI_Comm comm, int me, int ranks) {
  long long mine = me, sum = -1;
  MPI_Allreduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm);
  CHECK(sum == (long long)ranks * (ranks - 1) / 2);
}
static void alltoall_of(MPI_Datatype type, size_t bytes, MPI_Comm comm, int me, int ranks) {
  for (int r = 0; r < ranks; ++r) {
    int value = me * ranks + r;
    memset((char*)out + (size_t)r * bytes, 0, bytes);
    memcpy((char*)out + (size_t)r * bytes, &value, 4);
  }
  MPI_Alltoall(out, 1, type, in, 1, type, comm);
  for (int r = 0; r < ranks; ++r) {
    int value = -1;
    memcpy(&value, (char*)in + (size_t)r * bytes, 4);
    CHECK(value == r * ranks + me);
  }
}
static void alltoall_4(MPI_Comm comm, int me, int ranks) {
  alltoall_of(MPI_INT, 4, comm, me, ranks);
}
static void alltoall_8(MPI_Comm comm, int me, int ranks) {
  alltoall_of(MPI_LONG_LONG, 8, comm, me, ranks);
}
static void alltoall_in_place(MPI_Comm comm, int me, int ranks) {
  for (int r = 0; r < ranks; ++r) in[r] = me * ranks + r;
  MPI_Alltoall(MPI_IN_PLACE, 1, MPI_LONG_LONG, in, 1, MPI_LONG_LONG, comm);
  for (int r = 0; r < ranks; ++r) CHECK(in[r] == r * ranks + me);
}
static void allgather(MPI_Comm comm, int me, int ranks) {
  long long mine = 3 * me;
  MPI_Allgather(&mine, 1, MPI_LONG_LONG, in, 1, MPI_LONG_LONG, comm);
  for (int r = 0; r < ranks; ++r) CHECK(in[r] == 3 * r);
}
static void broadcast(MPI_Comm comm, int me, int ranks) {
  long long value = me == ranks / 2 ? 77 : -1;
  MPI_Bcast(&value, 1, MPI_LONG_LONG, ranks / 2, comm);
  CHECK(value == 77);
}
static void gather(MPI_Comm comm, int me, int ranks) {
  long long mine = 5 * me;
  MPI_Gather(&mine, 1, MPI_LONG_LONG, in, 1, MPI_LONG_LONG, 0, comm);
  for (int r = 0; me == 0 && r < ranks; ++r) CHECK(in[r] == 5 * r);
}
static void scatter(MPI_Comm comm, int me, int ranks) {
  long long mine = -1;
  for (int r = 0; r < ranks; ++r) out[r] = 7 * r;
  MPI_Scatter(out, 1, MPI_LONG_LONG, &mine, 1, MPI_LONG_LONG, 0, comm);
  CHECK(mine == 7 * me);
}
static void reduce_scatter(MPI_Comm comm, int me, int ranks) {
  long long sum = -1;
  for (int r = 0; r < ranks; ++r) out[r] = r + me;
  MPI_Reduce_scatter_block(out, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm);
  CHECK(sum == (long long)ranks * me + (long long)ranks * (ranks - 1) / 2);
}
static void scan(MPI_Comm comm, int me, int ranks) {
  long long mine = me, sum = -1;
  (void)ranks;
  MPI_Scan(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm);
  CHECK(sum == (long long)me * (me + 1) / 2);
}
static void reduce(MPI_Comm comm, int me, int ranks) {
  long long mine[100], sums[100];
  for (int i = 0; i < 100; ++i) mine[i] = me + i;
  MPI_Reduce(mine, sums, 100, MPI_LONG_LONG, MPI_SUM, ranks - 1, comm);
  for (int i = 0; me == ranks - 1 && i < 100; ++i)
    CHECK(sums[i] == (long long)ranks * i + (long long)ranks * (ranks - 1) / 2);
}

static const struct {
  const char* name;
  void (*call)(MPI_Comm, int, int);
} calls[] = {{"barrier", barrier},
             {"allreduce 8 B", allreduce},
             {"allgather 8 B", allgather},
             {"broadcast 8 B", broadcast},
             {"gather 8 B", gather},
             {"scatter 8 B", scatter},
             {"scan 8 B", scan},
             {"reduce 800 B", reduce},
             {"reduce_scatter 8 B", reduce_scatter},
             {"alltoall 4 B", alltoall_4},
             {"alltoall 8 B", alltoall_8},
             {"alltoall in place", alltoall_in_place}};

static void on(MPI_Comm comm, const char* where, int times) {
  int me, ranks;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int time = 0; time < times; ++time) {
      double start_time = MPI_Wtime();
      calls[i].call(comm, me, ranks);
      if (rank == 0)
        printf("%s, %s: %.1f ms%s\n", where, calls[i].name, (MPI_Wtime() - start_time) * 1e3,
               time ? " again" : "");
    }
  }
}

int main(int argc, char** argv) {
  double start_time;
  setvbuf(stdout, NULL, _IOLBF, 0);
  start(&argc, &argv);
  out = calloc((size_t)size, 8);
  in = calloc((size_t)size, 8);
  CHECK(out && in);
  long before = arena_kib();
  on(MPI_COMM_WORLD, "world", 2);
  long after = arena_kib();
  MPI_Comm copy, half;
  start_time = MPI_Wtime();
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  double duplicated = MPI_Wtime();
  MPI_Comm_split(copy, rank % 2, -rank, &half);
  double divided = MPI_Wtime();
  on(copy, "duplicate", 1);
  on(half, "half", 1);
  long with_both = arena_kib();
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf(
        "dup %.1f ms, split %.1f ms; arena: %ld KiB at start, %ld after the world's calls, %ld "
        "with two more communicators, %ld without them\n",
        (duplicated - start_time) * 1e3, (divided - duplicated) * 1e3, before, after, with_both,
        arena_kib());
  free(out);
  free(in);
  return finish();
}
