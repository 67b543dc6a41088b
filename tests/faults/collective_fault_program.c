/* A rank dies while all are in collectives, one after another without an end:
 * collective_fault_test.py says which rank, how, and after how long. usage:
 * collective_fault_program COLLECTIVE BYTES VICTIM kill|leave MICROSECONDS missing|inside [TOKEN]
 * missing: the victim has been in some and does not come to the next. inside: wherever it is then.
 */
#include <mpi.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"

static int size, leaves;

static void die(int number) {
  (void)number;
  if (leaves) _exit(0);
  raise(SIGKILL);
}

/* To or from the root, each rank as many; the v forms go by messages, in the order that is asked
 * for. */
static void blocks(const char* what, int each, int* in, int* out, int round) {
  static int counts[64], places[64];
  int root = round % size;
  for (int r = 0; r < size; ++r) {
    counts[r] = each;
    places[r] = r * each;
  }
  int scatters = what[0] == 's';
  if (strcmp(what, "scatter") == 0)
    MPI_Scatter(in, each, MPI_INT, out, each, MPI_INT, root, MPI_COMM_WORLD);
  else if (strcmp(what, "gather") == 0)
    MPI_Gather(in, each, MPI_INT, out, each, MPI_INT, root, MPI_COMM_WORLD);
  else if (scatters)
    MPI_Scatterv(in, counts, places, MPI_INT, out, each, MPI_INT, root, MPI_COMM_WORLD);
  else
    MPI_Gatherv(in, each, MPI_INT, out, counts, places, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; scatters && i < each; ++i) CHECK(out[i] == root + round + rank * each + i);
  for (int i = 0; !scatters && rank == root && i < each * size; ++i)
    CHECK(out[i] == i / each + round + i % each);
}

/* Every round has other data, and what a round did is looked at. */
static void one_round(const char* what, int count, int* in, int* out, int round) {
  int root = round % size;
  MPI_Request request;
  for (int i = 0; i < count; ++i) in[i] = rank + round + i;
  if (strcmp(what, "barrier") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "bcast") == 0 || strcmp(what, "ibcast") == 0) {
    if (what[0] == 'b') {
      MPI_Bcast(in, count, MPI_INT, root, MPI_COMM_WORLD);
    } else {
      MPI_Ibcast(in, count, MPI_INT, root, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < count; ++i) CHECK(in[i] == root + round + i);
  } else if (strncmp(what, "scatter", 7) == 0 || strncmp(what, "gather", 6) == 0) {
    blocks(what, count / size, in, out, round);
  } else if (strcmp(what, "alltoall") == 0) {
    int each = count / size;
    MPI_Alltoall(in, each, MPI_INT, out, each, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < each * size; ++i)
      CHECK(out[i] == i / each + round + rank * each + i % each);
  } else {
    if (strcmp(what, "allreduce") == 0) {
      MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else {
      CHECK(strcmp(what, "iallreduce") == 0);
      MPI_Iallreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < count; ++i) CHECK(out[i] == size * (round + i) + size * (size - 1) / 2);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc > 6);
  int count = atoi(argv[2]) / (int)sizeof(int), is_victim = atoi(argv[3]) == rank;
  long after = atol(argv[5]);
  int missing = strcmp(argv[6], "missing") == 0;
  leaves = strcmp(argv[4], "leave") == 0;
  int *in = calloc((size_t)count + 1, sizeof(int)), *out = calloc((size_t)count + 1, sizeof(int));
  CHECK(in && out);
  if (is_victim && !missing) {
    struct itimerval timer = {.it_value = {after / 1000000, after % 1000000}};
    signal(SIGALRM, die);
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
  }
  for (int round = 0;; ++round) {
    if (is_victim && missing && round == 20) {
      usleep((useconds_t)after);
      die(0);
    }
    one_round(argv[1], count, in, out, round);
  }
}
