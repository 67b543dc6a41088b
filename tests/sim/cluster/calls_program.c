// Calls one collective some times: OPERATION BYTES CALLS, bytes as baton-cluster takes them.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  if (count != 4) {
    fprintf(stderr, "usage: calls_program OPERATION BYTES CALLS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const char* operation = words[1];
  const int bytes = atoi(words[2]), calls = atoi(words[3]);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* in = calloc((size_t)(bytes + 1), (size_t)ranks);
  char* out = calloc((size_t)(bytes + 1), (size_t)ranks);
  for (int call = 0; call < calls; ++call) {
    if (!strcmp(operation, "barrier"))
      MPI_Barrier(MPI_COMM_WORLD);
    else if (!strcmp(operation, "broadcast"))
      MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (!strcmp(operation, "allreduce"))
      MPI_Allreduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(operation, "reduce"))
      MPI_Reduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (!strcmp(operation, "gather"))
      MPI_Gather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (!strcmp(operation, "allgather"))
      MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (!strcmp(operation, "alltoall"))
      MPI_Alltoall(in, bytes / ranks, MPI_BYTE, out, bytes / ranks, MPI_BYTE, MPI_COMM_WORLD);
    else if (!strcmp(operation, "scatter"))
      MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else
      MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  free(in);
  free(out);
  return 0;
}
