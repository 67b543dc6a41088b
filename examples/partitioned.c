/* Threads of rank 0 compute the rows of a picture, of which some take much longer than others. Each
 * says that its row is ready as soon as it is, and rank 1 counts points in rows that have come while
 * others are still computed. mpicc -fopenmp partitioned.c && mpirun -n 2 ./a.out */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 64, columns = 640, steps_most = 2000, frames = 3 };
static int picture[rows][columns];

/* Steps until a point of the plane leaves the circle of radius 2 (Mandelbrot's set never does). */
static int steps_of(double x, double y) {
  double a = 0, b = 0;
  int steps = 0;
  for (; steps < steps_most && a * a + b * b < 4; ++steps) {
    const double next = a * a - b * b + x;
    b = 2 * a * b + y;
    a = next;
  }
  return steps;
}

static void send_frame(int frame, MPI_Request request) {
#pragma omp parallel for schedule(dynamic)
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      picture[row][column] =
          steps_of(3.0 * column / columns - 2.2, (2.0 * row / rows - 1) / (frame + 1));
    MPI_Pready(row, request);
  }
}

static void receive_frame(int frame, MPI_Request request) {
  int points = 0, taken[rows] = {0};
  for (int left = rows; left > 0;)
    for (int row = 0; row < rows; ++row) {
      int flag = taken[row];
      if (!flag) MPI_Parrived(request, row, &flag);
      if (!flag || taken[row]) continue;
      for (int column = 0; column < columns; ++column) points += picture[row][column] == steps_most;
      taken[row] = 1;
      --left;
    }
  printf("frame %d: %d points of the set\n", frame, points);
}

int main(int argc, char** argv) {
  int provided, rank, ranks;
  MPI_Request request;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2 || provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) fprintf(stderr, "start 2 ranks of an MPI with MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return EXIT_FAILURE;
  }
  if (rank == 0)
    MPI_Psend_init(picture, rows, columns, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(picture, rows, columns, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int frame = 0; frame < frames; ++frame) {
    MPI_Start(&request);
    if (rank == 0)
      send_frame(frame, request);
    else
      receive_frame(frame, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
