/* Ranks compute together until few are left. Each is killed at a random moment, in the midst of
   whatever it does. The others find that out, agree on who is left, and go on: all that a round says
   to be done is right at all of them.
   Usage: kills_program SEED MILLISECONDS KEPT: ranks die within MILLISECONDS, KEPT live on. */
#include <sys/time.h>

#include "survival.h"

enum { elements = 3000, long_bytes = 300000 };
static double values[elements], sums[elements];
static char *outgoing, *incoming;

static unsigned long random_state;
static unsigned random_number(unsigned below) {
  random_state = random_state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(random_state >> 33) % below;
}

static void on_alarm(int signal) {
  (void)signal;
  raise(SIGKILL);
}

/* Messages around a ring, and collectives, of which all ranks know what comes out. */
static int round_of_work(MPI_Comm comm, int round) {
  int own, ranks, error;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  const int count = round % 3 ? 1 + round % 7 : elements;
  for (int i = 0; i < count; ++i) values[i] = own + i;
  if ((error = MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, comm))) return error;
  for (int i = 0; i < count; ++i) CHECK(sums[i] == ranks * (ranks - 1) / 2. + (double)ranks * i);
  const int left = (own + ranks - 1) % ranks, right = (own + 1) % ranks;
  const int length = round % 4 == 0 ? long_bytes : round % 4 == 1 ? 5000 : round % 4 == 2 ? 700 : 8;
  memset(outgoing, own + round, (size_t)length);
  MPI_Request requests[2];
  if ((error = MPI_Irecv(incoming, length, MPI_BYTE, left, round, comm, &requests[0]))) return error;
  error = MPI_Isend(outgoing, length, MPI_BYTE, right, round, comm, &requests[1]);
  if (error) {
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    return error;
  }
  MPI_Status statuses[2];
  error = MPI_Waitall(2, requests, statuses);
  if (error) {
    for (int i = 0; i < 2; ++i)
      if (requests[i] != MPI_REQUEST_NULL) {
        MPI_Cancel(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
      }
    return error;
  }
  for (int i = 0; i < length; i += 97) CHECK(incoming[i] == (char)(left + round));
  int root = round % ranks, word = own == root ? round : -1;
  if ((error = MPI_Bcast(&word, 1, MPI_INT, root, comm))) return error;
  CHECK(word == round);
  if (round % 5 == 0) return MPI_Barrier(comm);
  if (round % 5 == 1)
    return MPI_Alltoall(values, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, comm);
  return MPI_SUCCESS;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  CHECK(argc == 4);
  const int milliseconds = atoi(argv[2]), kept = atoi(argv[3]);
  random_state = strtoul(argv[1], NULL, 10) * 1000003ul + (unsigned long)rank;
  for (int i = 0; i < 4; ++i) random_number(2);
  outgoing = malloc(long_bytes);
  incoming = malloc(long_bytes);
  MPI_Comm comm;
  CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &comm) == MPI_SUCCESS); /* one may have died already */
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (rank >= kept) {
    const long us = 1000 + random_number((unsigned)milliseconds) * 1000L + random_number(1000);
    signal(SIGALRM, on_alarm);
    struct itimerval timer = {{0, 0}, {us / 1000000, us % 1000000}};
    setitimer(ITIMER_REAL, &timer, NULL);
  }
  int rounds = 0, recoveries = 0;
  for (int round = 0, ranks = size; ranks > kept; ++round, ++rounds) {
    int error = round_of_work(comm, round);
    if (error) {
      const int class = class_of(error);
      if (class != MPIX_ERR_PROC_FAILED && class != MPIX_ERR_REVOKED && class != MPI_ERR_IN_STATUS) {
        char words[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(error, words, &length);
        fprintf(stderr, "rank %d: round %d: %s\n", rank, round, words);
        CHECK(!"the error of a death or a revoked communicator");
      }
      MPIX_Comm_revoke(comm);
    } else if (round % 8 != 7) {
      continue;
    }
    /* All that live come here: after an error at once, else every eighth round. */
    int good = !error;
    const int agreed = MPIX_Comm_agree(comm, &good);
    if (good && !agreed) continue;
    MPI_Comm next;
    CHECK(MPIX_Comm_shrink(comm, &next) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
    comm = next;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int fewer;
    MPI_Comm_size(comm, &fewer);
    CHECK(fewer <= ranks);
    ranks = fewer;
    ++recoveries;
    /* Rounds are numbered anew, alike for all. */
    round = -1;
  }
  int own;
  MPI_Comm_rank(comm, &own);
  CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
  if (own == 0) printf("%d rounds, %d recoveries\n", rounds, recoveries);
  MPI_Comm_free(&comm);
  free(outgoing);
  free(incoming);
  MPI_Finalize();
  return 0;
}
