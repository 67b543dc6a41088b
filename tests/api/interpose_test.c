/* A tool may replace any MPI_X and reach the library through PMPI_X; the library itself calls
 * neither, so that a tool sees the program's calls and no others. One process. */
#include "expect.h"

static int seen_sends, seen_receives, seen_reductions;

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++seen_sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  ++seen_receives;
  return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
  ++seen_reductions;
  return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

int main(int argc, char** argv) {
  int value = 1, sum = 0;
  MPI_Comm copy, half;
  MPI_Init(&argc, &argv);
  EXPECT_OK(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  EXPECT_OK(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  EXPECT_OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  EXPECT_INT(sum, 1);
  EXPECT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  EXPECT_OK(MPI_Comm_split(copy, 0, 0, &half));
  EXPECT_OK(MPI_Barrier(half));
  EXPECT_OK(MPI_Bcast(&value, 1, MPI_INT, 0, half));
  EXPECT_OK(MPI_Comm_free(&half));
  EXPECT_OK(MPI_Comm_free(&copy));
  MPI_Finalize();
  EXPECT_INT(seen_sends, 1);
  EXPECT_INT(seen_receives, 1);
  EXPECT_INT(seen_reductions, 1);
  return expect_result();
}
