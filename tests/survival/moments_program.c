/* Ranks that are at one moment of a job's life, from which one of them is torn. The others go on:
   they find out, whatever they were at, make a communicator of those that are left, and compute.
   Usage: moments_program MOMENT TOKEN GO: each rank says "there" when it is about to be at the
   moment, and those that would only wait there go on once the file GO exists. By SIGUSR2 a rank
   ends with code 0, as if it had forgotten to finalize. */
#include "survival.h"

enum { count = 1 << 16 };
static const char *moment, *go;
static int data[2 * count];
static MPI_Comm comm;

static int is_at(const char *name) {
  if (strcmp(moment, name) != 0) return 0;
  if (write(1, "there\n", 6) != 6) _exit(9);
  return 1;
}

static void wait_for_go(void) {
  while (access(go, F_OK) != 0) usleep(1000);
}

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

static int exchange(int bytes) {
  return MPI_Sendrecv(data, bytes, MPI_BYTE, (rank + 1) % size, 1, data + count, bytes, MPI_BYTE,
                      (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
}

static int copy_communicator(void) {
  MPI_Comm copy;
  const int error = MPI_Comm_dup(comm, &copy);
  if (!error) MPI_Comm_free(&copy);
  return error;
}

/* One after the other waits for each of the others. */
static int take_turns(MPI_Win window) {
  const int target = 0, one = 1;
  int error = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
  if (error) return error;
  error = MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window);
  const int ended = MPI_Win_unlock(target, window);
  return error ? error : ended;
}

static int shrink(void) {
  MPI_Comm smaller;
  CHECK(MPIX_Comm_shrink(comm, &smaller) == MPI_SUCCESS);
  int left;
  MPI_Comm_size(smaller, &left);
  MPI_Comm_free(&smaller);
  return left < size ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

static int in_windows(void) {
  MPI_Win window;
  int *memory;
  int error = MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &memory, &window);
  if (error) return error;
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  while (!error) error = take_turns(window);
  return error;
}

static int any_source(void) {
  int error = MPI_SUCCESS;
  while (!error) {
    MPI_Request requests[2];
    MPI_Irecv(data + count, 8, MPI_BYTE, MPI_ANY_SOURCE, 1, comm, &requests[0]);
    MPI_Isend(data, 8, MPI_BYTE, (rank + 1) % size, 1, comm, &requests[1]);
    error = MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      CHECK(error);
      MPI_Cancel(&requests[i]);
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
  }
  return error;
}

/* Stays at the moment until an error ends it, which it returns. */
static int stay(void) {
  int error = MPI_SUCCESS, flag;
  if (is_at("receiving")) return MPI_Recv(data, 1, MPI_INT, rank != 1, 5, comm, MPI_STATUS_IGNORE);
  if (is_at("sending")) return MPI_Ssend(data, count, MPI_INT, (rank + 1) % size, 5, comm);
  if (is_at("in_a_collective")) {
    if (rank == 0) wait_for_go();
    return MPI_Barrier(comm);
  }
  if (is_at("in_a_nonblocking_one")) {
    MPI_Request request;
    if (rank == 0) wait_for_go();
    error = MPI_Iallreduce(data, data + count, count, MPI_INT, MPI_SUM, comm, &request);
    return error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (is_at("in_messages"))
    while (!error) error = exchange(4000);
  if (is_at("in_long_messages"))
    while (!error) error = exchange(count * (int)sizeof(int));
  if (is_at("in_messages_of_any")) return any_source();
  if (is_at("in_allreduces"))
    while (!error) error = MPI_Allreduce(data, data + count, 5000, MPI_INT, MPI_SUM, comm);
  if (is_at("in_broadcasts"))
    while (!error) error = MPI_Bcast(data, count, MPI_INT, 2, comm);
  if (is_at("in_copies_of_communicators"))
    while (!error) error = copy_communicator();
  if (is_at("in_agreements"))
    for (flag = 1; !error; flag = 1) error = MPIX_Comm_agree(comm, &flag);
  if (is_at("in_shrinks"))
    while (!error) error = shrink();
  if (is_at("in_windows")) return in_windows();
  if (is_at("computing")) wait_for_go();
  return error;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  moment = argv[1];
  go = argv[3];
  signal(SIGUSR2, leave);
  if (is_at("before_init")) wait_for_go();
  begin(&argc, &argv);
  if (strcmp(moment, "before_init") == 0) {
    comm = MPI_COMM_WORLD;
  } else {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int error = stay(), class = class_of(error);
    if (error && class != MPIX_ERR_PROC_FAILED && class != MPIX_ERR_REVOKED &&
        class != MPI_ERR_IN_STATUS) {
      char words[MPI_MAX_ERROR_STRING];
      int length;
      MPI_Error_string(error, words, &length);
      fprintf(stderr, "rank %d: %s\n", rank, words);
      CHECK(!"the error of a death or a revoked communicator");
    }
    MPIX_Comm_revoke(comm);
  }
  int left = 0, one = 1, sum = 0;
  if (strcmp(moment, "after_finalize") != 0) {
    MPI_Comm smaller;
    CHECK(MPIX_Comm_shrink(comm, &smaller) == MPI_SUCCESS);
    MPI_Comm_size(smaller, &left);
    CHECK(left == size - 1);
    CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, smaller) == MPI_SUCCESS && sum == left);
    MPI_Comm_free(&smaller);
  }
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  MPI_Finalize();
  if (is_at("after_finalize")) wait_for_go();
  if (write(1, "went on\n", 8) != 8) return 9;
  return 0;
}
