/* A tool that interposes MPI_Send and MPI_Recv and counts them, for stats_test.py. */
#include <mpi.h>
#include <stdio.h>

static int calls;

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++calls;
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  ++calls;
  return PMPI_Recv(buffer, count, type, from, tag, comm, status);
}

int MPI_Finalize(void) {
  printf("the tool saw %d calls\n", calls);
  fflush(stdout);
  return PMPI_Finalize();
}
