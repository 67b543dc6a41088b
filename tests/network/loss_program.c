/* Waits for ranks that tests take away. Usage: loss_program HOW [return] [SECONDS]
 * All meet, rank 0 prints "begun", and then all wait: in a receive (recv), a receive from any
 * source (any), a probe (probe), a barrier (barrier), for a long message to be taken (send), for
 * short ones without end to go (stream), for long puts or gets without end (put, get); or the last
 * rank computes for so many seconds, and then they meet again (compute); or rank 0 has sent four
 * messages of so many bytes, which the last rank looks at after a second only (unread). With
 * `return` errors are returned: each rank prints the first and, but for barrier, goes to
 * MPI_Finalize. `first HOW`: they do not meet before. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, has_met;

/* From the last rank; that one from the first. */
static int other(void) {
  return rank == size - 1 ? 0 : size - 1;
}

/* Into the last rank's memory, or from there; that one waits for a message. */
static int access_memory(char* data, MPI_Aint bytes, int puts) {
  char* memory;
  MPI_Win win;
  MPI_Win_allocate(rank == size - 1 ? bytes : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  if (rank == size - 1)
    return MPI_Recv(data, 8, MPI_BYTE, other(), 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int error = 0;;) {
    if (puts)
      error = MPI_Put_c(data, bytes, MPI_BYTE, other(), 0, bytes, MPI_BYTE, win);
    else
      error = MPI_Get_c(data, bytes, MPI_BYTE, other(), 0, bytes, MPI_BYTE, win);
    if (!error) error = MPI_Win_flush(other(), win);
    if (error) return error;
  }
}

static int wait_long(const char* how) {
  static char data[8 << 20];
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request request;
  if (!strcmp(how, "recv"))
    return MPI_Recv(data, 8, MPI_BYTE, other(), 7, world, MPI_STATUS_IGNORE);
  if (!strcmp(how, "any"))
    return MPI_Recv(data, 8, MPI_BYTE, MPI_ANY_SOURCE, 7, world, MPI_STATUS_IGNORE);
  if (!strcmp(how, "probe")) return MPI_Probe(other(), 7, world, MPI_STATUS_IGNORE);
  if (!strcmp(how, "send")) {
    int error = MPI_Isend(data, sizeof data, MPI_BYTE, other(), 7, world, &request);
    return error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (!strcmp(how, "put") || !strcmp(how, "get"))
    return access_memory(data, sizeof data, !strcmp(how, "put"));
  int error = 0;
  if (!strcmp(how, "stream")) {
    while (!error)
      error = MPI_Sendrecv(data, 30000, MPI_BYTE, other(), 8, data + sizeof data / 2, 30000,
                           MPI_BYTE, MPI_ANY_SOURCE, 8, world, MPI_STATUS_IGNORE);
    return error;
  }
  /* Where they have met, the last rank never comes again. */
  if (!strcmp(how, "barrier") && (rank != size - 1 || !has_met)) return MPI_Barrier(world);
  for (;;) pause();
}

static void compute(int seconds) {
  char byte = 0;
  if (rank == size - 1) {
    sleep((unsigned)seconds);
    for (int i = 0; i < rank; ++i) MPI_Send(&byte, 1, MPI_BYTE, i, 7, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&byte, 1, MPI_BYTE, size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("they have met again\n");
}

static void say_begun(void) {
  printf("begun\n");
  fflush(stdout);
}

static int unread(int bytes) {
  enum { messages = 4 };
  MPI_Request requests[messages];
  char* data = calloc(messages, (size_t)bytes);
  if (rank == 0) {
    MPI_Recv(data, 1, MPI_BYTE, size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < messages; ++i)
      MPI_Isend(data, bytes, MPI_BYTE, size - 1, 8, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < messages; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    say_begun();
    return MPI_Recv(data, 1, MPI_BYTE, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < messages; ++i)
    MPI_Irecv(data + i * bytes, bytes, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &requests[i]);
  MPI_Send(data, 1, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
  sleep(1);
  for (int i = 0; i < messages; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  return MPI_Send(data, 1, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* how = argc > 1 ? argv[1] : "";
  if (argc > 2 && !strcmp(argv[2], "return"))
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (strcmp(how, "first")) {
    MPI_Barrier(MPI_COMM_WORLD);
    has_met = 1;
    if (rank == 0 && strcmp(how, "unread")) say_begun();
  }
  if (!strcmp(how, "compute")) {
    compute(argc > 2 ? atoi(argv[2]) : 1);
    return MPI_Finalize();
  }
  if (!strcmp(how, "unread")) {
    unread(argc > 2 ? atoi(argv[2]) : 1);
    return MPI_Finalize();
  }
  const int error = wait_long(strcmp(how, "first") || argc < 3 ? how : argv[2]);
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(error, text, &length);
  fprintf(stderr, "rank %d has the error: %s\n", rank, text);
  if (strcmp(how, "barrier")) {
    sleep(1); /* the launcher ends all when one ends */
    MPI_Finalize();
    fprintf(stderr, "rank %d is through MPI_Finalize\n", rank);
  }
  for (;;) pause();
}
