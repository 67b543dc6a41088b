/* A rank is killed while it holds a window's lock that all others want. The job must end at once;
 * nobody may be left that waits for the lock. Never ends well: its run looks for mpiexec's words.
 */
#include <signal.h>

#include "conformance.h"

int main(int argc, char** argv) {
  int* base;
  MPI_Win win;
  start(&argc, &argv);
  MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) raise(SIGKILL);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
  return finish();
}
