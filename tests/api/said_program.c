/* Does once what its first word says, twice over; said_test.py looks at what Baton says to it. Only
 * MPI_COMM_WORLD's error handler is set. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Removed, so not in mpi.h; the library has them. */
int MPI_Address(void* location, MPI_Aint* address);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* made);
int MPI_Type_hindexed(int count, int* lengths, MPI_Aint* displacements, MPI_Datatype old,
                      MPI_Datatype* made);
int MPI_Type_struct(int count, int* lengths, MPI_Aint* displacements, MPI_Datatype* old,
                    MPI_Datatype* made);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint* extent);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint* lower_bound);
int MPI_Type_ub(MPI_Datatype type, MPI_Aint* upper_bound);
int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);

static int rank, wrong;

static void on_error(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
}

static void expect(int holds, const char* what) {
  if (!holds) printf("rank %d: not so: %s\n", rank, what);
  wrong |= !holds;
}

static void removed(void) {
  int lengths[2] = {1, 1}, value = 0;
  MPI_Aint places[2] = {0, 8}, extent = 0, low = 9, high = 0, here, there;
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_CHAR}, made;
  MPI_Errhandler handler;
  MPI_Type_struct(2, lengths, places, types, &made);
  MPI_Type_extent(made, &extent);
  MPI_Type_lb(made, &low);
  MPI_Type_ub(made, &high);
  expect(extent == 16 && low == 0 && high == 16, "the bounds of a struct");
  MPI_Type_free(&made);
  MPI_Type_hvector(2, 1, 12, MPI_INT, &made);
  MPI_Type_extent(made, &extent);
  expect(extent == 16, "the extent of a vector");
  MPI_Type_free(&made);
  MPI_Type_hindexed(2, lengths, places, MPI_INT, &made);
  MPI_Type_extent(made, &extent);
  expect(extent == 12, "the extent of blocks");
  MPI_Type_free(&made);
  MPI_Address(&value, &here);
  MPI_Get_address(&value, &there);
  expect(here == there, "an address");
  MPI_Errhandler_get(MPI_COMM_WORLD, &handler);
  expect(handler == MPI_ERRORS_RETURN, "the handler that was set");
  MPI_Errhandler_set(MPI_COMM_WORLD, handler);
  expect(MPI_Errhandler_create(on_error, &handler) == MPI_SUCCESS, "a handler");
  MPI_Errhandler_free(&handler);
}

static void unportable(void) {
  char letter = 1, sum = 0;
  MPI_Aint truth = 1, all = 0;
  int key, saved, value = 0;
  MPI_Allreduce(&letter, &sum, 1, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&truth, &all, 1, MPI_AINT, MPI_LAND, MPI_COMM_WORLD);
  MPI_Send(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  saved = key;
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
  MPI_Comm_free_keyval(&key);
  expect(MPI_Comm_delete_attr(MPI_COMM_WORLD, saved) == MPI_SUCCESS, "deleting with a freed key");
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  expect(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == MPI_SUCCESS, "deleting what is not set");
  MPI_Comm_free_keyval(&key);
}

static void aliased(void) {
  int both[8] = {1, 0};
  MPI_Allreduce(both, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gather(both, 1, MPI_INT, both, 1, MPI_INT, 1, MPI_COMM_WORLD);
}

/* But one object is never freed. */
static void nothing(void) {
  static MPI_Comm left;
  if (left == 0) MPI_Comm_dup(MPI_COMM_WORLD, &left);
}

int main(int argc, char** argv) {
  void (*act)(void) = removed;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (argc > 1 && strcmp(argv[1], "removed") == 0) act = removed;
  if (argc > 1 && strcmp(argv[1], "unportable") == 0) act = unportable;
  if (argc > 1 && strcmp(argv[1], "aliased") == 0) act = aliased;
  if (argc > 1 && strcmp(argv[1], "nothing") == 0) act = nothing;
  act();
  act();
  MPI_Finalize();
  return wrong;
}
