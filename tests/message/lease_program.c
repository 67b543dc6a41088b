/* All ranks but the first send it messages that go through staging, and it sends some to the
 * second. usage: lease_program MESSAGES BYTES */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int check(const char* data, int bytes, char value) {
  for (int i = 0; i < bytes; ++i)
    if (data[i] != value) return 0;
  return 1;
}

int main(int count, char** words) {
  int rank, size;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (count != 3 || size < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int messages = atoi(words[1]), bytes = atoi(words[2]);
  char* data = malloc((size_t)bytes);
  for (int message = 0; message < messages; ++message) {
    if (rank != 0) {
      memset(data, rank + message, (size_t)bytes);
      MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      if (rank != 1) continue;
      MPI_Recv(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (!check(data, bytes, (char)message)) MPI_Abort(MPI_COMM_WORLD, 3);
      continue;
    }
    for (int from = 1; from < size; ++from) {
      MPI_Recv(data, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (!check(data, bytes, (char)(from + message))) MPI_Abort(MPI_COMM_WORLD, 3);
    }
    memset(data, message, (size_t)bytes);
    MPI_Send(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  }
  free(data);
  return MPI_Finalize();
}
