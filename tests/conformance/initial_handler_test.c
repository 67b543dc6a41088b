/* The error handler that mpiexec -initial-errhandler names: in force before MPI_Init, with sessions
 * alone and after MPI_Finalize, and what the predefined communicators begin with. Run with
 * mpi_errors_return, in any case. */
#include "conformance.h"

static int class_of(int code) {
  int its_class;
  MPI_Error_class(code, &its_class);
  return its_class;
}

/* No world model: these errors belong to no object, and what is about it has no answer. */
static void check_without_world(void) {
  int n, flag;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK(class_of(MPI_Comm_rank(MPI_COMM_WORLD, &n)) != MPI_SUCCESS);
  CHECK(class_of(MPI_Query_thread(&n)) == MPI_ERR_OTHER);
  CHECK(class_of(MPI_Is_thread_main(&flag)) == MPI_ERR_OTHER);
  CHECK(class_of(MPI_Type_commit(&type)) != MPI_SUCCESS);
}

static void check_handler(MPI_Comm comm) {
  MPI_Errhandler handler;
  CHECK(MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS);
  CHECK(handler == MPI_ERRORS_RETURN);
}

int main(int argc, char** argv) {
  MPI_Session session;
  MPI_Comm copy;
  MPI_Info env;
  char value[64] = "";
  int n, found;
  check_without_world();
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  check_without_world();
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
  check_without_world();
  start(&argc, &argv);
  check_handler(MPI_COMM_WORLD);
  check_handler(MPI_COMM_SELF);
  CHECK(class_of(MPI_Send(&n, 1, MPI_INT, size, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  check_handler(copy);
  MPI_Comm_free(&copy);
  MPI_Info_get(MPI_INFO_ENV, "mpi_initial_errhandler", sizeof value - 1, value, &found);
  CHECK(found && strcmp(value, "mpi_errors_return") == 0);
  MPI_Info_create_env(argc, argv, &env);
  MPI_Info_get(env, "mpi_initial_errhandler", sizeof value - 1, value, &found);
  CHECK(found && strcmp(value, "mpi_errors_return") == 0);
  MPI_Info_free(&env);
  /* Once the world model has begun, what belongs to no object belongs to MPI_COMM_SELF. */
  CHECK(MPI_Query_thread(&n) == MPI_SUCCESS && n == MPI_THREAD_SINGLE);
  int code = finish();
  if (class_of(MPI_Comm_rank(MPI_COMM_WORLD, &n)) == MPI_SUCCESS) return 1;
  return code;
}
