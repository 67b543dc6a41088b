/* Communicators made and freed in great numbers, and many alive at once: memory stays bounded.
 * usage: many_communicators_test ROUNDS ALIVE: so often each way of making one is used, and so many
 * live at once. Prints what it measured. */
#include <unistd.h>

#include "conformance.h"

enum { warm_up = 1000, slack_kib = 512, used_every = 16 };

static MPI_Group everyone;
static MPI_Info no_info = MPI_INFO_NULL;

/* What this process has in memory, the job's shared pages included, in KiB. */
static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &pages, &resident) == 2);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void by_dup(int round, MPI_Comm* made) {
  (void)round;
  MPI_Comm_dup(MPI_COMM_WORLD, made);
}
static void by_idup(int round, MPI_Comm* made) {
  MPI_Request request;
  (void)round;
  MPI_Comm_idup(MPI_COMM_WORLD, made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void by_split(int round, MPI_Comm* made) {
  MPI_Comm_split(MPI_COMM_WORLD, (rank + round) % 2, -rank, made);
}
static void by_split_type(int round, MPI_Comm* made) {
  (void)round;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, no_info, made);
}
static void by_create(int round, MPI_Comm* made) {
  (void)round;
  MPI_Comm_create(MPI_COMM_WORLD, everyone, made);
}
static void by_create_group(int round, MPI_Comm* made) {
  MPI_Comm_create_group(MPI_COMM_WORLD, everyone, round % 7, made);
}
static void by_create_from_group(int round, MPI_Comm* made) {
  (void)round;
  MPI_Comm_create_from_group(everyone, "many", no_info, MPI_ERRORS_ARE_FATAL, made);
}

/* Some are used: what a communicator holds for its collectives and messages has to go, too. */
static void use(MPI_Comm comm) {
  int one = 1, sum = 0, number, got = -1, mine;
  MPI_Comm_size(comm, &number);
  MPI_Comm_rank(comm, &mine);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == number);
  MPI_Sendrecv(&mine, 1, MPI_INT, (mine + 1) % number, 5, &got, 1, MPI_INT,
               (mine + number - 1) % number, 5, comm, MPI_STATUS_IGNORE);
  CHECK(got == (mine + number - 1) % number);
}

typedef void Maker(int round, MPI_Comm* made);

static void make_and_free(Maker* make, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    make(i, &comm);
    CHECK(comm != MPI_COMM_NULL);
    if (i % used_every == 0) use(comm);
    MPI_Comm_free(&comm);
  }
}

static void come_and_go(const char* name, Maker* make, int rounds) {
  make_and_free(make, warm_up);
  MPI_Barrier(MPI_COMM_WORLD);
  long before = resident_kib();
  double start_time = MPI_Wtime();
  make_and_free(make, rounds);
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = MPI_Wtime() - start_time;
  long after = resident_kib();
  if (rank == 0)
    printf("%s: %d made and freed in %.1f s, %ld KiB before, %ld KiB after\n", name, rounds,
           seconds, before, after);
  CHECK(after <= before + slack_kib);
}

/* So many alive that each must be told from the others; then all are freed. */
static void fill(MPI_Comm* comms, int* values, int count) {
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  /* A message in each, received in another order. */
  for (int i = 0; i < count; i += used_every) {
    MPI_Request request;
    values[i] = i;
    MPI_Isend(&values[i], 1, MPI_INT, (rank + 1) % size, 0, comms[i], &request);
    MPI_Request_free(&request);
  }
  for (int i = (count - 1) / used_every * used_every; i >= 0; i -= used_every) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 0, comms[i], MPI_STATUS_IGNORE);
    CHECK(value == i);
  }
  use(comms[count - 1]);
}

static void live_at_once(int count) {
  MPI_Comm* comms = malloc(sizeof(MPI_Comm) * (size_t)count);
  int* values = malloc(sizeof(int) * (size_t)count);
  CHECK(comms && values);
  memset(comms, 0, sizeof(MPI_Comm) * (size_t)count);
  memset(values, 0, sizeof(int) * (size_t)count);
  long full[2];
  for (int turn = 0; turn < 2; ++turn) {
    long before = resident_kib();
    fill(comms, values, count);
    full[turn] = resident_kib();
    if (rank == 0)
      printf("%d alive at once: %ld KiB before, %ld KiB with them\n", count, before, full[turn]);
    for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[(i * 7919) % count]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /* The second time the memory of the first is used again. */
  CHECK(full[1] <= full[0] + slack_kib);
  free(values);
  free(comms);
}

int main(int argc, char** argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 10000, alive = argc > 2 ? atoi(argv[2]) : 1000;
  start(&argc, &argv);
  CHECK(alive % 7919 != 0);
  MPI_Comm_group(MPI_COMM_WORLD, &everyone);
  come_and_go("MPI_Comm_dup", by_dup, rounds);
  come_and_go("MPI_Comm_split", by_split, rounds);
  come_and_go("MPI_Comm_create_group", by_create_group, rounds);
  come_and_go("MPI_Comm_idup", by_idup, rounds / 10);
  come_and_go("MPI_Comm_split_type", by_split_type, rounds / 10);
  come_and_go("MPI_Comm_create", by_create, rounds / 10);
  come_and_go("MPI_Comm_create_from_group", by_create_from_group, rounds / 10);
  live_at_once(alive);
  MPI_Group_free(&everyone);
  return finish();
}
