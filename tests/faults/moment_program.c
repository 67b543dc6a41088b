/* Ranks that are at one moment of a job's life, told by the first word, and stay there. The second
   word is for the test to find the processes by. Each rank says "there" just before. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char* moment;
static int data[1 << 16];

static int is_at(const char* name) {
  if (strcmp(moment, name) != 0) return 0;
  if (write(1, "there\n", 6) != 6) _exit(9);
  return 1;
}

int main(int count, char** words) {
  int rank, ranks;
  if (count != 3) return 2;
  moment = words[1];
  if (is_at("before_init")) pause();
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (is_at("receiving"))
    MPI_Recv(data, 1, MPI_INT, rank == 0 ? 1 : 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (is_at("sending")) MPI_Ssend(data, 1 << 16, MPI_INT, (rank + 1) % ranks, 5, MPI_COMM_WORLD);
  if (is_at("in_a_collective")) {
    if (rank == 0) pause();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is_at("in_messages"))
    for (;;)
      MPI_Sendrecv(data, 1000, MPI_INT, (rank + 1) % ranks, 1, data + 1000, 1000, MPI_INT,
                   (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (is_at("in_allreduces"))
    for (;;) MPI_Allreduce(data, data + 5000, 5000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (is_at("computing"))
    for (volatile long i = 0;; ++i) continue;
  MPI_Finalize();
  if (is_at("after_finalize")) pause();
  fprintf(stderr, "no moment %s\n", moment);
  return 2;
}
