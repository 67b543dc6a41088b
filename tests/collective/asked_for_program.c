/* One call of every kind of collective, of 8 bytes and of 20000, alltoalls also in place; looked at
 * by asked_for_test.py. With the name of one: an alltoall, scatter or gather in which all expect
 * less than the others give, which ends with 1 when it writes where no memory was meant for it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void call_all(int count) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  size_t bytes = (size_t)(count * ranks) * sizeof(double);
  double *out = calloc(1, bytes), *in = calloc(1, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Gather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(out);
  free(in);
}

static void call_neighbors(void) {
  int ranks, periodic = 1;
  MPI_Comm ring;
  double out[2] = {0, 0}, in[2];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Neighbor_allgather(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, ring);
  MPI_Neighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, ring);
  MPI_Comm_free(&ring);
}

static int expect_less(const char* what) {
  enum { given = 20000, expected = 100 };
  int ranks, harmed = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  double* out = malloc((size_t)(given * ranks) * sizeof(double));
  double* in = calloc((size_t)(given * ranks), sizeof(double));
  for (int i = 0; i < given * ranks; ++i) out[i] = 1;
  if (strcmp(what, "alltoall") == 0)
    (void)MPI_Alltoall(out, given, MPI_DOUBLE, in, expected, MPI_DOUBLE, MPI_COMM_WORLD);
  else if (strcmp(what, "scatter") == 0)
    (void)MPI_Scatter(out, given, MPI_DOUBLE, in, expected, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  else
    (void)MPI_Gather(out, given, MPI_DOUBLE, in, expected, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = expected * ranks; i < given * ranks; ++i) harmed |= in[i] != 0;
  free(out);
  free(in);
  return harmed;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) {
    int harmed = expect_less(argv[1]);
    MPI_Finalize();
    return harmed;
  }
  call_all(1);
  call_all(2500);
  call_neighbors();
  MPI_Finalize();
  return 0;
}
