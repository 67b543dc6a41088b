/* Makes one mistake under the default error handler; fatal_test.py looks at how it ends. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void ends_here(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  printf("handler saw class %d\n", *code);
}

int main(int argc, char** argv) {
  const char* mistake = argc > 1 ? argv[1] : "";
  int value = 0;
  if (strcmp(mistake, "before") == 0) MPI_Comm_rank(MPI_COMM_WORLD, &value);
  if (strcmp(mistake, "level") == 0) {
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Query_thread(&value);
  }
  MPI_Init(&argc, &argv);
  if (strcmp(mistake, "twice") == 0) MPI_Init(&argc, &argv);
  if (strcmp(mistake, "rank") == 0) MPI_Send(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
  if (strcmp(mistake, "missing") == 0) MPI_Win_fence(0, MPI_WIN_NULL);
  if (strcmp(mistake, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 42);
  if (strcmp(mistake, "inherited") == 0) {
    MPI_Errhandler handler;
    MPI_Comm copy;
    MPI_Comm_create_errhandler(ends_here, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Send(&value, 1, MPI_INT, 7, 0, copy);
    MPI_Comm_free(&copy);
  }
  MPI_Finalize();
  if (strcmp(mistake, "after") == 0) MPI_Comm_rank(MPI_COMM_WORLD, &value);
  puts("reached the end");
  return 0;
}
