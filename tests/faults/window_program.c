/* All ranks reach memory of rank 0's window without end, until somebody kills a rank. The first
   word is the kind of window (create, dynamic, allocate), the second what they do. Each rank tells
   its process. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { bytes = 1 << 20 };

int main(int count, char** words) {
  int rank, ranks;
  long old;
  MPI_Aint at = 0;
  MPI_Win win;
  char line[64], *memory = malloc(bytes), *data = calloc(1, bytes);
  if (count != 3) return 2;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memset(memory, 0, bytes);
  if (strcmp(words[1], "create") == 0) {
    MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  } else if (strcmp(words[1], "allocate") == 0) {
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  } else {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, bytes);
    MPI_Get_address(memory, &at);
    MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD);
  }
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(line, sizeof line, "rank %d is process %d\n", rank, (int)getpid());
  if (write(1, line, strlen(line)) < 0) return 3;
  for (int i = 0;; ++i) {
    const int length = i % 3 == 0 ? bytes : i % 3 == 1 ? 8 : 4000;
    if (rank == 0 && strcmp(words[2], "computing") == 0) continue;
    if (i % 4 == 0) MPI_Put(data, length, MPI_BYTE, 0, at, length, MPI_BYTE, win);
    if (i % 4 == 1) MPI_Get(data, length, MPI_BYTE, 0, at, length, MPI_BYTE, win);
    if (i % 4 == 2)
      MPI_Accumulate(data, length / 8, MPI_LONG, 0, at, length / 8, MPI_LONG, MPI_SUM, win);
    if (i % 4 == 3) MPI_Fetch_and_op(data, &old, MPI_LONG, 0, at, MPI_SUM, win);
    MPI_Win_flush(0, win);
  }
}
