/* Broadcasts in which the root has so many ints and the others so many, words 1 and 2; word 3 is
   the form. Word 4 "return": errors are returned, and each rank tells its own. A good broadcast
   goes before, so that the room is there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 1 << 20 };
static int data[most];

static int broadcast(const char* form, int count) {
  MPI_Request request;
  int error;
  if (strcmp(form, "blocking") == 0) return MPI_Bcast(data, count, MPI_INT, 0, MPI_COMM_WORLD);
  if (strcmp(form, "nonblocking") == 0) {
    error = MPI_Ibcast(data, count, MPI_INT, 0, MPI_COMM_WORLD, &request);
    return error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  error = MPI_Bcast_init(data, count, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (!error) error = MPI_Start(&request);
  return error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int count, char** words) {
  int rank, error;
  if (count < 4) return 2;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int before = 1; before <= most; before *= 16)
    MPI_Bcast(data, before, MPI_INT, 0, MPI_COMM_WORLD);
  if (count > 4) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  error = broadcast(words[3], atoi(words[rank == 0 ? 1 : 2]));
  if (count > 4) {
    int error_class;
    MPI_Error_class(error, &error_class);
    printf("rank %d: class %d\n", rank, error_class);
  }
  MPI_Finalize();
  return 0;
}
