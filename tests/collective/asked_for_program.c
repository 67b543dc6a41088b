/* One call of every kind of collective, of 8 bytes and of 20000, alltoalls also in place; looked at
 * by asked_for_test.py. */
#include <mpi.h>
#include <stdlib.h>

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

static void call_neighbours(void) {
  int ranks, periodic = 1;
  MPI_Comm ring;
  double out[2] = {0, 0}, in[2];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Neighbor_allgather(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, ring);
  MPI_Neighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, ring);
  MPI_Comm_free(&ring);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  call_all(1);
  call_all(2500);
  call_neighbours();
  MPI_Finalize();
  return 0;
}
