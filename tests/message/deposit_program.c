/* Messages whose way through a deposit model's ring is known, for deposit_test.py to count.
 * usage: deposit_program turns BYTES COUNT        each receive is posted before its message is sent
 *        deposit_program window BYTES COUNT FILE  all are sent while the receiver is outside MPI
 * Rank 0 sends, rank 1 receives, into memory that every rank can reach. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ready_tag = 1, data_tag = 2, most = 64 };
static int rank;

static void ready(void) {
  if (rank == 1)
    MPI_Send(NULL, 0, MPI_BYTE, 0, ready_tag, MPI_COMM_WORLD);
  else
    MPI_Recv(NULL, 0, MPI_BYTE, 1, ready_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void check(const unsigned char* data, long bytes, int message) {
  for (long i = 0; i < bytes; ++i)
    if (data[i] != (unsigned char)(i * 31 / 8 + message)) {
      fprintf(stderr, "message %d: byte %ld of %ld is wrong\n", message, i, bytes);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
}
static void fill(unsigned char* data, long bytes, int message) {
  for (long i = 0; i < bytes; ++i) data[i] = (unsigned char)(i * 31 / 8 + message);
}

static void turns(unsigned char* data, long bytes, int count) {
  for (int i = 0; i < count; ++i) {
    if (rank == 0) {
      fill(data, bytes, i);
      ready();
      MPI_Send(data, (int)bytes, MPI_BYTE, 1, data_tag, MPI_COMM_WORLD);
    } else {
      MPI_Request request;
      MPI_Irecv(data, (int)bytes, MPI_BYTE, 0, data_tag, MPI_COMM_WORLD, &request);
      ready();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      check(data, bytes, i);
    }
  }
}

static void window(unsigned char* data, long bytes, int count, const char* file) {
  MPI_Request requests[most];
  if (rank == 0) {
    for (int i = 0; i < count; ++i) fill(data + i * bytes, bytes, i);
    ready();
    for (int i = 0; i < count; ++i)
      MPI_Isend(data + i * bytes, (int)bytes, MPI_BYTE, 1, data_tag, MPI_COMM_WORLD, &requests[i]);
    close(open(file, O_CREAT | O_WRONLY, 0600));
  } else {
    for (int i = 0; i < count; ++i)
      MPI_Irecv(data + i * bytes, (int)bytes, MPI_BYTE, 0, data_tag, MPI_COMM_WORLD, &requests[i]);
    ready();
    while (access(file, F_OK) != 0) usleep(1000);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count && rank == 1; ++i) check(data + i * bytes, bytes, i);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long bytes = argc > 2 ? atol(argv[2]) : 8;
  int count = argc > 3 ? atoi(argv[3]) : 4;
  if (count < 1 || count > most) MPI_Abort(MPI_COMM_WORLD, 1);
  /* The rings are there, and have one line behind them. */
  if (rank == 0)
    MPI_Send(NULL, 0, MPI_BYTE, 1, ready_tag, MPI_COMM_WORLD);
  else
    MPI_Recv(NULL, 0, MPI_BYTE, 0, ready_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ready();
  int windowed = argc > 4 && strcmp(argv[1], "window") == 0;
  unsigned char* data;
  MPI_Alloc_mem(windowed ? bytes * count : bytes, MPI_INFO_NULL, &data);
  if (windowed)
    window(data, bytes, count, argv[4]);
  else
    turns(data, bytes, count);
  MPI_Free_mem(data);
  return MPI_Finalize();
}
