// One of several MPI programs that a rank runs one after the other. Argument: how it ends.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUCH (1 << 18)

static void require(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "not so: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 9);
}

// Messages of all lengths to all, a window and what it held at first, a communicator, a collective.
static void use_all(int rank, int size) {
  static char out[MUCH], in[MUCH];
  for (int length = 1; length <= MUCH; length *= 8)
    for (int distance = 1; distance < size; ++distance) {
      int to = (rank + distance) % size, from = (rank + size - distance) % size;
      memset(out, rank + length % 7, (size_t)length);
      MPI_Sendrecv(out, length, MPI_CHAR, to, length % 1000, in, length, MPI_CHAR, from,
                   length % 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      require(in[0] == from + length % 7 && in[length - 1] == in[0],
              "a message holds what was sent");
    }
  int* memory;
  MPI_Win window;
  MPI_Win_allocate(4096, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  require(memory[0] == 0 && memory[1023] == 0, "memory of a window is new");
  int one = 1, sum = 0;
  MPI_Win_fence(0, window);
  MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  require(rank != 0 || memory[0] == size, "all have added to the window");
  MPI_Win_free(&window);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other);
  require(sum == size, "all have added");
  MPI_Comm_free(&other);
}

int main(int count, char** words) {
  const char* end = count > 1 ? words[1] : "well";
  MPI_Init(&count, &words);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(end, "alone") != 0) use_all(rank, size);
  printf("%s: rank %d of %d\n", end, rank, size);
  fflush(stdout);
  if (strcmp(end, "unsaid") == 0) _exit(0);
  if (strcmp(end, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Finalize();
  if (strcmp(end, "lingering") == 0) sleep(1);
  return strcmp(end, "badly") == 0 ? 5 : 0;
}
