/* N short messages in two shapes, for budget_test.py to count what they cost.
 * usage: budget_program pingpong N   between two ranks, each answers the other
 *        budget_program pair N FILE  rank 0 sends N, a few dozen at a time, while rank 1 is outside
 * MPI and looks into FILE for its turn: nobody waits in a send or a receive */
#include <fcntl.h>
#include <malloc.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { burst = 32 }; /* fewer than a ring's lines: no send waits */

static void pingpong(int rank, long messages) {
  double data = 1;
  for (long i = 0; i < messages; ++i) {
    if (rank == 0) MPI_Send(&data, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
    MPI_Recv(&data, 8, MPI_BYTE, !rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&data, 8, MPI_BYTE, 0, 5, MPI_COMM_WORLD);
  }
}

/* Called by name so that a tool may count between entry and return. tests/fortran has them in Fortran. */
#ifdef BURSTS_IN_FORTRAN
void send_burst(void);
void receive_burst(void);
#else
__attribute__((noinline)) void send_burst(void) {
  double data = 1;
  for (int i = 0; i < burst; ++i) MPI_Send(&data, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
}
__attribute__((noinline)) void receive_burst(void) {
  double data = 1;
  for (int i = 0; i < burst; ++i)
    MPI_Recv(&data, 8, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#endif

static void pair(int rank, long messages, const char* file) {
  int descriptor = open(file, O_RDWR | O_CREAT, 0600);
  if (descriptor < 0 || ftruncate(descriptor, 4096) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  atomic_int* turn = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (turn == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < messages / burst; ++i) {
    while (atomic_load(turn) != 2 * i + rank) sched_yield();
    if (rank == 0)
      send_burst();
    else
      receive_burst();
    atomic_store(turn, 2 * i + rank + 1);
  }
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* shape = argc > 1 ? argv[1] : "pingpong";
  long messages = argc > 2 ? atol(argv[2]) : 1000;
  pingpong(rank, 100); /* contacts are made, memory is touched */
  struct mallinfo2 before = mallinfo2();
  if (strcmp(shape, "pair") == 0)
    pair(rank, messages, argc > 3 ? argv[3] : "");
  else
    pingpong(rank, messages);
  struct mallinfo2 after = mallinfo2();
  printf("rank %d heap grew by %zd bytes\n", rank, (ssize_t)(after.uordblks - before.uordblks));
  MPI_Finalize();
  return fflush(stdout) == 0 ? 0 : 1;
}
