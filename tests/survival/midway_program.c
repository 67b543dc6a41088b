/* A rank dies in the midst of copying a message: the second half of its buffer cannot be reached.
   Usage: midway_program CASE BYTES; the last rank dies. */
#include <sys/mman.h>
#include <sys/time.h>

#include "survival.h"

static char* program;

/* Returns memory for the message whose second half cannot be reached. */
static char* torn(void) {
  const long page = sysconf(_SC_PAGESIZE), half = (bytes + page - 1) / page * page;
  char* memory =
      mmap(NULL, (size_t)(2 * half), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED && mprotect(memory + half, (size_t)half, PROT_NONE) == 0);
  return memory + half - bytes / 2;
}

/* Dies soon, where the other side makes no copy of this one. */
static void die_soon(void) {
  const struct itimerval soon = {{0, 0}, {0, 200000}};
  CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
}

/* Messages of this length in both directions, so that the ways between the two are as they will be.
 */
static void warm_up(MPI_Comm comm, int other) {
  char* incoming = malloc((size_t)bytes);
  for (int round = 0; round < 100; ++round)
    MPI_Sendrecv(buffer, (int)bytes, MPI_BYTE, other, 1, incoming, (int)bytes, MPI_BYTE, other, 1,
                 comm, MPI_STATUS_IGNORE);
  for (int round = 0; round < 100; ++round)
    MPI_Sendrecv_replace(incoming, (int)bytes, MPI_BYTE, other, 1, other, 1, comm,
                         MPI_STATUS_IGNORE);
  free(incoming);
}

/* The dead sends, once rank 0 is ready. */
static void send_torn(MPI_Comm comm) {
  warm_up(comm, 0);
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, comm, MPI_STATUS_IGNORE);
  char* data = torn();
  die_soon();
  MPI_Send(data, (int)bytes, MPI_BYTE, 0, 3, comm);
  die(); /* its receiver has not copied it */
}

static void receive_torn(MPI_Comm comm, int dead, int source, int is_posted) {
  MPI_Request request = MPI_REQUEST_NULL;
  warm_up(comm, dead);
  if (is_posted) MPI_Irecv(buffer, (int)bytes, MPI_BYTE, source, 3, comm, &request);
  CHECK(MPI_Send(NULL, 0, MPI_BYTE, dead, 2, comm) == MPI_SUCCESS);
  if (!is_posted) {
    await_failures(comm, 1);
    CHECK(class_of(MPI_Recv(buffer, (int)bytes, MPI_BYTE, source, 3, comm, MPI_STATUS_IGNORE)) ==
          MPIX_ERR_PROC_FAILED);
    return;
  }
  const int class = class_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(class == MPIX_ERR_PROC_FAILED ||
        (class == MPIX_ERR_PROC_FAILED_PENDING && source == MPI_ANY_SOURCE));
  if (request == MPI_REQUEST_NULL) return;
  MPI_Cancel(&request);
  CHECK(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_SUCCESS);
}

/* The others go on, in all ways: rank 0 gets many messages from each. */
static void go_on(void) {
  const int left = size - 1;
  MPI_Comm next;
  CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &next) == MPI_SUCCESS);
  char* incoming = malloc((size_t)bytes);
  for (int round = 0; round < 20; ++round) {
    memset(buffer, rank + round, (size_t)bytes);
    CHECK(MPI_Sendrecv(buffer, (int)bytes, MPI_BYTE, (rank + 1) % left, 1, incoming, (int)bytes,
                       MPI_BYTE, (rank + left - 1) % left, 1, next,
                       MPI_STATUS_IGNORE) == MPI_SUCCESS);
    const char expected = (char)((rank + left - 1) % left + round);
    CHECK(incoming[0] == expected && incoming[bytes / 2] == expected &&
          incoming[bytes - 1] == expected);
  }
  free(incoming);
  CHECK(MPI_Barrier(next) == MPI_SUCCESS);
  MPI_Comm_free(&next);
}

static void sending_to(int source, int is_posted) {
  if (rank == size - 1) send_torn(MPI_COMM_WORLD);
  if (rank == 0) receive_torn(MPI_COMM_WORLD, size - 1, source, is_posted);
  go_on();
}
static void to_posted(void) {
  sending_to(size - 1, 1);
}
static void to_posted_any(void) {
  sending_to(MPI_ANY_SOURCE, 1);
}
static void to_none(void) {
  sending_to(size - 1, 0);
}

/* The dead receives. */
static void receiving(void) {
  const int dead = size - 1;
  if (rank == dead) {
    warm_up(MPI_COMM_WORLD, 0);
    char* data = torn();
    die_soon();
    MPI_Recv(data, (int)bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    die();
  }
  if (rank == 0) {
    warm_up(MPI_COMM_WORLD, dead);
    int class = MPI_SUCCESS;
    for (int i = 0; class == MPI_SUCCESS; ++i)
      class = class_of(MPI_Send(buffer, (int)bytes, MPI_BYTE, dead, 3, MPI_COMM_WORLD));
    CHECK(class == MPIX_ERR_PROC_FAILED);
  }
  go_on();
}

/* The dead is of another job. */
static void from_child(void) {
  MPI_Comm family;
  MPI_Comm_get_parent(&family);
  if (family != MPI_COMM_NULL) send_torn(family);
  char length[32], *words[] = {"from_child", length, NULL};
  snprintf(length, sizeof length, "%ld", bytes);
  CHECK(MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &family,
                       MPI_ERRCODES_IGNORE) == MPI_SUCCESS);
  MPI_Comm_set_errhandler(family, MPI_ERRORS_RETURN);
  receive_torn(family, 0, 0, 1);
}

int main(int argc, char** argv) {
  const Case cases[] = {{"to_posted", to_posted},
                        {"to_posted_any", to_posted_any},
                        {"to_none", to_none},
                        {"receiving", receiving},
                        {"from_child", from_child}};
  program = argv[0];
  return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
