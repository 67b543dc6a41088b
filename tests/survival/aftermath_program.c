/* What a death, a revocation or a failed message leaves to calls that come later; a case each. See
 * survival_test.py. */
#include "survival.h"

/* A call that one rank has ended, before it dies, succeeds at all others. */
static int take_part(int kind, char *in, char *out) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm made = MPI_COMM_NULL;
  int error;
  switch (kind) {
    case 0: error = MPI_Comm_dup(comm, &made); break;
    case 1: error = MPI_Comm_split(comm, rank % 2, rank, &made); break;
    case 2: {
      MPI_Group all;
      MPI_Comm_group(comm, &all);
      error = MPI_Comm_create(comm, all, &made);
      MPI_Group_free(&all);
      break;
    }
    case 3: error = MPI_Reduce(in, out, (int)bytes, MPI_CHAR, MPI_SUM, 0, comm); break;
    case 4: error = MPI_Gather(in, (int)bytes, MPI_CHAR, out, (int)bytes, MPI_CHAR, 0, comm); break;
    case 5: error = MPI_Allgather(in, (int)bytes, MPI_CHAR, out, (int)bytes, MPI_CHAR, comm); break;
    case 6: error = MPI_Allreduce(in, out, (int)bytes, MPI_CHAR, MPI_SUM, comm); break;
    case 7: error = MPI_Barrier(comm); break;
    case 8: {
      MPI_Request request;
      error = MPI_Comm_idup(comm, &made, &request);
      if (!error) error = MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    }
    default: return -1;
  }
  if (!error && made != MPI_COMM_NULL) CHECK(MPI_Comm_free(&made) == MPI_SUCCESS);
  return error;
}

static void last_part(void) {
  const char *kind = getenv("SURVIVAL_KIND");
  char *in = malloc((size_t)bytes), *out = calloc((size_t)size, (size_t)bytes);
  memset(in, 1, (size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) usleep(20000);
  CHECK(take_part(atoi(kind), in, out) == MPI_SUCCESS);
  if (rank == size - 1) die();
  if (rank == 0 && atoi(kind) == 3) CHECK(out[0] == size && out[bytes - 1] == size);
  if (rank == 0 && atoi(kind) == 4) CHECK(out[0] == 1 && out[size * bytes - 1] == 1);
  await_failures(MPI_COMM_WORLD, 1);
  free(in), free(out);
}

/* Who calls again and again hears of a revocation, though each call fails at once by the death. */
static void until_revoked(void) {
  MPI_Comm comm;
  int error;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);
  if (rank == size / 2) die();
  do {
    error = size % 2 ? MPI_Barrier(comm) : MPI_Send(buffer, 1, MPI_CHAR, size / 2, 0, comm);
    if (rank == 0 && error) CHECK(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
  } while (class_of(error) != MPIX_ERR_REVOKED);
  MPI_Comm_free(&comm);
}

/* What is on its way about a communicator that is freed does not reach the next one of its parent. */
static void shrink_again(void) {
  for (int i = 0; i < 200; ++i) {
    MPI_Comm first, second;
    int revoked = 1;
    CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &first) == MPI_SUCCESS);
    if (rank == i % size) CHECK(MPIX_Comm_revoke(first) == MPI_SUCCESS);
    MPI_Comm_free(&first);
    CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &second) == MPI_SUCCESS);
    CHECK(MPI_Barrier(second) == MPI_SUCCESS);
    CHECK(MPIX_Comm_is_revoked(second, &revoked) == MPI_SUCCESS && !revoked);
    MPI_Comm_free(&second);
  }
}

/* What was sent on a communicator that has lost a rank, and that its receiver has freed by then, does not reach another
   one. */
static void remains(void) {
  MPI_Comm old, alive, next;
  int value = 1;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &old) == MPI_SUCCESS);
  be_last(MPI_COMM_WORLD, size - 1);
  if (rank == size - 1) die();
  CHECK(MPIX_Comm_shrink(old, &alive) == MPI_SUCCESS);
  if (rank == 1) {
    MPI_Comm_free(&old);
    CHECK(MPI_Send(NULL, 0, MPI_BYTE, 0, 0, alive) == MPI_SUCCESS);
  }
  if (rank == 0) {
    CHECK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, alive, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Send(&value, 1, MPI_INT, 1, 0, old) == MPI_SUCCESS);
    value = 2;
  }
  if (rank != 1) MPI_Comm_free(&old);
  CHECK(MPI_Comm_dup(alive, &next) == MPI_SUCCESS);
  if (rank == 0) CHECK(MPI_Send(&value, 1, MPI_INT, 1, 0, next) == MPI_SUCCESS);
  if (rank == 1) CHECK(MPI_Recv(&value, 1, MPI_INT, 0, 0, next, MPI_STATUS_IGNORE) == MPI_SUCCESS && value == 2);
  MPI_Comm_free(&next);
  MPI_Comm_free(&alive);
}

static MPI_Comm handled = MPI_COMM_WORLD;
static int handled_class;
static void note(MPI_Comm *comm, int *code, ...) {
  handled = *comm;
  handled_class = class_of(*code);
}

/* The handler of a communicator that is freed meanwhile gets the error of its last request. */
static void freed(void) {
  for (int cause = 0; cause < 3; ++cause) {
    MPI_Comm comm;
    MPI_Request request;
    MPI_Errhandler own;
    int two[2] = {1, 2};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(note, &own);
    MPI_Comm_set_errhandler(comm, cause ? MPI_ERRORS_RETURN : own);
    MPI_Errhandler_free(&own);
    if (rank == 0) MPI_Irecv(two, 1, MPI_INT, size - 1, 0, comm, &request);
    if (rank == size - 1 && cause < 2) MPI_Send(two, 2, MPI_INT, 0, 0, comm);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1 && cause == 2) die();
    MPI_Comm_free(&comm);
    if (rank != 0) continue;
    const int class = class_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(class == (cause < 2 ? MPI_ERR_TRUNCATE : MPI_ERR_PROC_FAILED) && request == MPI_REQUEST_NULL);
    if (cause == 0) CHECK(handled == MPI_COMM_NULL && handled_class == MPI_ERR_TRUNCATE);
  }
}

int main(int argc, char **argv) {
  const Case cases[] = {{"last_part", last_part},
                        {"until_revoked", until_revoked},
                        {"shrink_again", shrink_again},
                        {"remains", remains},
                        {"freed", freed}};
  return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
