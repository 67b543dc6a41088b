/* More communicators than there is memory for rooms: collectives of all lengths on each, many under
   way at once, so that some meet in rooms, some in rooms without blocks, and some send messages.
   Then they are freed, and new ones find the rooms again. */
#include "conformance.h"

enum { communicators = 120, longest = 200 };

static MPI_Comm comms[communicators];

static void check_sums(const int* sums, int count, int first) {
  for (int i = 0; i < count; ++i) CHECK(sums[i] == size * (first + i) + size * (size - 1) / 2);
}

static void one_after_the_other(void) {
  static const int counts[] = {1, 30, longest, 2};
  int given[longest], sums[longest];
  for (int c = 0; c < communicators; ++c)
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < longest; ++i) given[i] = c + i + rank;
      MPI_Allreduce(given, sums, counts[k], MPI_INT, MPI_SUM, comms[c]);
      check_sums(sums, counts[k], c);
    }
}

/* Several at once on each: short and long ones in turn, completed in the end. */
static void all_at_once(void) {
  enum { at_once = 3 };
  static int given[communicators][longest], sums[communicators][longest];
  static int told[communicators][longest], note[communicators];
  static MPI_Request requests[communicators * at_once];
  for (int c = 0; c < communicators; ++c) {
    int root = c % size;
    for (int i = 0; i < longest; ++i) {
      given[c][i] = c + i + rank;
      told[c][i] = rank == root ? c - i : -1;
    }
    note[c] = rank == root ? c : -1;
    MPI_Iallreduce(given[c], sums[c], longest, MPI_INT, MPI_SUM, comms[c], &requests[c * at_once]);
    MPI_Ibcast(&note[c], 1, MPI_INT, root, comms[c], &requests[c * at_once + 1]);
    MPI_Ibcast(told[c], longest, MPI_INT, root, comms[c], &requests[c * at_once + 2]);
  }
  MPI_Waitall(communicators * at_once, requests, MPI_STATUSES_IGNORE);
  for (int c = 0; c < communicators; ++c) {
    check_sums(sums[c], longest, c);
    CHECK(note[c] == c);
    for (int i = 0; i < longest; ++i) CHECK(told[c][i] == c - i);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int round = 0; round < 3; ++round) {
    for (int c = 0; c < communicators; ++c) MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
    /* The first calls on them are nonblocking ones, or not. */
    if (round != 1) all_at_once();
    one_after_the_other();
    all_at_once();
    for (int c = 0; c < communicators; ++c) MPI_Comm_free(&comms[c]);
  }
  return finish();
}
