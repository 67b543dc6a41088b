/* Communicators by the hundred, each with collectives of some length in its room, freed and made
   again in thousands, and persistent collectives beside them: what the job holds of shared memory
   stays within the pool of rooms and goes back when they are freed.
   usage: rooms_given_back_test ALIVE ROUNDS */
#include "arena.h"
#include "conformance.h"

enum { length = 40, mib = 1024, pool_mib = 64, kept_mib = pool_mib / 8, slack_kib = 2 * mib };

static void use(MPI_Comm comm, int key) {
  int given[length], sums[length];
  for (int i = 0; i < length; ++i) given[i] = key + i + rank;
  MPI_Allreduce(given, sums, length, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < length; ++i) CHECK(sums[i] == size * (key + i) + size * (size - 1) / 2);
}

static void use_persistent(int key) {
  int given[length], sums[length];
  MPI_Request request;
  MPI_Allreduce_init(given, sums, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < length; ++i) given[i] = key + i + rank + turn;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < length; ++i)
      CHECK(sums[i] == size * (key + i + turn) + size * (size - 1) / 2);
  }
  MPI_Request_free(&request);
}

/* All ranks have freed what was freed before. */
static long arena_now(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  long now = arena_kib();
  MPI_Barrier(MPI_COMM_WORLD);
  return now;
}

static void live_at_once(MPI_Comm* comms, int alive) {
  for (int c = 0; c < alive; ++c) MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
  for (int c = 0; c < alive; ++c) use(comms[c], c);
  for (int c = 0; c < alive; ++c) use(comms[c], c);
}

int main(int argc, char** argv) {
  int alive = argc > 1 ? atoi(argv[1]) : 300, rounds = argc > 2 ? atoi(argv[2]) : 3000;
  start(&argc, &argv);
  MPI_Comm* comms = calloc((size_t)alive, sizeof(MPI_Comm));
  CHECK(comms);
  use(MPI_COMM_WORLD, 0);
  use_persistent(0);
  long before = arena_now(), most = 0, last = 0;
  CHECK(before > 0);
  for (int turn = 0; turn < 2; ++turn) {
    live_at_once(comms, alive);
    long now = arena_now();
    most = now > most ? now : most;
    for (int c = 0; c < alive; ++c) MPI_Comm_free(&comms[(c * 7) % alive]);
    last = arena_now();
    CHECK(now - before <= pool_mib * mib + slack_kib);
    CHECK(last - before <= kept_mib * mib + slack_kib);
  }
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    use(comms[0], i);
    if (i % 8 == 0) use_persistent(i);
    MPI_Comm_free(&comms[0]);
  }
  long after = arena_now();
  if (rank == 0)
    printf(
        "arena: %ld KiB before, %ld with %d more communicators, %ld without them, %ld after %d\n",
        before, most, alive, last, after, rounds);
  CHECK(after - before <= kept_mib * mib + slack_kib);
  free(comms);
  return finish();
}
