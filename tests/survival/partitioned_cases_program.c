/* Partitioned messages with a rank that dies once both sides have met, or on a communicator that is revoked then; a case
 * each. See survival_test.py. */
#include "survival.h"

enum { PARTITIONS = 2 };

static MPI_Request request;
static char *data;
static MPI_Comm comm;

/* One iteration: a sender marks so many partitions ready. Returns the error of the wait. */
static int iterate(int ready) {
  CHECK(MPI_Start(&request) == MPI_SUCCESS);
  if (ready) CHECK(MPI_Pready_range(0, ready - 1, request) == MPI_SUCCESS);
  return class_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Makes both sides, whose first iteration brings them together. */
static void meet(int sends) {
  data = calloc(PARTITIONS, (size_t)bytes);
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
  if (sends)
    CHECK(MPI_Psend_init(data, PARTITIONS, bytes, MPI_CHAR, 1 - rank, 3, comm, MPI_INFO_NULL, &request) == MPI_SUCCESS);
  else
    CHECK(MPI_Precv_init(data, PARTITIONS, bytes, MPI_CHAR, 1 - rank, 3, comm, MPI_INFO_NULL, &request) == MPI_SUCCESS);
  CHECK(iterate(sends ? PARTITIONS : 0) == MPI_SUCCESS);
  CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
}

static void end(void) {
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  free(data);
}

/* What has come of a message of which the rest does not come. */
static void sender_dies(void) {
  meet(rank == 1);
  if (rank == 1) {
    data[0] = 5;
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    CHECK(MPI_Pready(0, request) == MPI_SUCCESS);
    die();
  }
  for (int i = 0; i < 3; ++i) CHECK(iterate(0) == MPIX_ERR_PROC_FAILED);
  /* Shorter partitions go together, and longer ones may have been with the sender. */
  CHECK(bytes != 3000 || data[0] == 5);
  end();
}

/* All of it is ready: what lies with the receiver arrives. */
static void sender_has_sent(void) {
  meet(rank == 1);
  if (rank == 1) {
    data[PARTITIONS * bytes - 1] = 5;
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    CHECK(MPI_Pready_range(0, PARTITIONS - 1, request) == MPI_SUCCESS);
    die();
  }
  await_failures(comm, 1);
  const int error = iterate(0);
  CHECK(error == MPI_SUCCESS || (error == MPIX_ERR_PROC_FAILED && bytes > 100000));
  CHECK(error != MPI_SUCCESS || data[PARTITIONS * bytes - 1] == 5);
  end();
}

/* A message that has left before its receiver died has succeeded. */
static void receiver_dies(void) {
  meet(rank == 0);
  if (rank == 1) die();
  for (int i = 0; i < 3; ++i) {
    const int error = iterate(PARTITIONS);
    CHECK(error == MPI_SUCCESS || error == MPIX_ERR_PROC_FAILED);
    CHECK(i < 2 || error == MPIX_ERR_PROC_FAILED);
  }
  end();
}

/* The other one still lives, and does not send, or receive. */
static void revoked(int sends) {
  meet(sends == (rank == 0));
  if (rank == 0) {
    for (int i = 0, error = 0; error != MPIX_ERR_REVOKED; ++i) {
      error = iterate(sends ? PARTITIONS : 0);
      CHECK(error == MPIX_ERR_REVOKED || (sends && i < 2 && error == MPI_SUCCESS));
    }
  } else {
    CHECK(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
  }
  end();
}
static void receiver_revoked(void) {
  revoked(0);
}
static void sender_revoked(void) {
  revoked(1);
}

int main(int argc, char **argv) {
  const Case cases[] = {{"sender_dies", sender_dies},
                        {"sender_has_sent", sender_has_sent},
                        {"receiver_dies", receiver_dies},
                        {"receiver_revoked", receiver_revoked},
                        {"sender_revoked", sender_revoked}};
  return run_case(argc, argv, cases, sizeof cases / sizeof *cases);
}
