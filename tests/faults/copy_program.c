/* Messages whose copy goes wrong: their receive is too short, a rank dies in the middle, a buffer
 * is not there any more. copies_test.py runs it, with one way of moving messages after the other.
 * usage: copy_program cut|exchange [exported|sender|receiver], or unmapped sender|receiver; the
 * former's word says whose buffers are of MPI_Alloc_mem. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static unsigned char* buffer_of(size_t bytes, int exported) {
  void* memory = NULL;
  if (exported)
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
  else
    memory = malloc(bytes);
  CHECK(memory != NULL);
  return memory;
}

static void tell(void) {
  MPI_Send(NULL, 0, MPI_BYTE, 1 - rank, 2, MPI_COMM_WORLD);
}
static void hear(void) {
  MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A message into a receive of half its length, which is posted first or comes later; then one that
 * fits. Nothing is written behind the receive. */
static void cut_one(size_t bytes, int posted_first, int exported) {
  unsigned char* data = buffer_of(bytes, exported);
  MPI_Status status;
  if (rank == 0) {
    if (posted_first) hear();
    fill(data, bytes, 1);
    MPI_Send(data, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    fill(data, bytes, 2);
    MPI_Send(data, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    hear();
  } else {
    int half = (int)(bytes / 2), count;
    MPI_Request request;
    memset(data, 77, bytes);
    if (!posted_first) usleep(1000);
    MPI_Irecv(data, half, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    if (posted_first) tell();
    CHECK(MPI_Wait(&request, &status) == MPI_ERR_TRUNCATE);
    for (size_t i = (size_t)half; i < bytes; ++i) CHECK(data[i] == 77);
    CHECK(MPI_Recv(data, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK((size_t)count == bytes && holds(data, bytes, 2));
    tell();
  }
  if (exported)
    MPI_Free_mem(data);
  else
    free(data);
}

static void cut(int exported) {
  static const size_t lengths[] = {8, 100, 3000, 5000, 20000, 100000, 400000, 3000000};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i)
    for (int turn = 0; turn < 6; ++turn) cut_one(lengths[i], turn % 2, exported);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("came to the end\n");
}

/* Until somebody kills one of us. */
static void exchange(int exported) {
  size_t bytes = 16 << 20;
  unsigned char *out = buffer_of(bytes, exported), *in = buffer_of(bytes, exported);
  fill(out, bytes, 3);
  printf("rank %d is process %d\n", rank, (int)getpid());
  fflush(stdout);
  while (1) {
    MPI_Request requests[2];
    MPI_Irecv(in, (int)bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, (int)bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

/* The sender's buffer, or the receiver's, goes before the other side has come. */
static void unmapped(const char* whose) {
  size_t bytes = 8 << 20;
  unsigned char* data =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(data != MAP_FAILED);
  memset(data, 5, bytes);
  MPI_Request request;
  int mine = strcmp(whose, "sender") == 0 ? rank == 0 : rank == 1;
  if (!mine) hear();
  if (rank == 0)
    MPI_Isend(data, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
  else
    MPI_Irecv(data, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
  if (mine) munmap(data, bytes);
  if (mine) tell();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* what = count > 1 ? words[1] : "";
  const char* how = count > 2 ? words[2] : "";
  int exported = strcmp(how, "exported") == 0 || (strcmp(how, "sender") == 0 && rank == 0) ||
                 (strcmp(how, "receiver") == 0 && rank == 1);
  if (strcmp(what, "cut") == 0)
    cut(exported);
  else if (strcmp(what, "exchange") == 0)
    exchange(exported);
  else if (strcmp(what, "unmapped") == 0)
    unmapped(how);
  else
    CHECK(!"a word that this program knows");
  return MPI_Finalize();
}
