/* One message of more than 2^31 bytes, and one of more than 2^31 elements of a type without data.
 */
#include "conformance.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  const MPI_Count bytes = ((MPI_Count)1 << 31) + 12345;
  unsigned char* data = malloc((size_t)bytes);
  CHECK(data != NULL);
  MPI_Status status;
  MPI_Count count = 0;
  if (rank == 0) {
    fill_bytes(data, (size_t)bytes, 42);
    MPI_Send_c(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv_c(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_BYTE, &count);
    CHECK(count == bytes && bytes_are(data, (size_t)bytes, 42));
    int narrow;
    MPI_Get_count(&status, MPI_BYTE, &narrow);
    CHECK(narrow == MPI_UNDEFINED);
  }
  free(data);
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  if (rank == 0) MPI_Send_c(NULL, bytes, nothing, 1, 2, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv_c(NULL, bytes, nothing, 0, 2, MPI_COMM_WORLD, &status);
  MPI_Type_free(&nothing);
  return finish();
}
