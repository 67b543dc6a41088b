/* After MPI_Init: closes every descriptor it does not know and opens its own file under each
 * number, as daemons and interpreters do. Messages and memory go on; the file is nobody else's. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static int size;

static int take_all_numbers(void) {
  struct rlimit limit;
  char name[] = "/tmp/baton-test-XXXXXX";
  int file = mkstemp(name);
  CHECK(file >= 0 && unlink(name) == 0);
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  int end = limit.rlim_cur > 4096 ? 4096 : (int)limit.rlim_cur;
  for (int number = 3; number < end; ++number)
    if (number != file) CHECK(dup2(file, number) == number);
  return file;
}

static void exchange(unsigned char* data, int bytes) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  unsigned char* in = malloc((size_t)bytes);
  fill(data, (size_t)bytes, (unsigned)rank);
  MPI_Sendrecv(data, bytes, MPI_BYTE, next, 1, in, bytes, MPI_BYTE, before, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK(holds(in, (size_t)bytes, (unsigned)before));
  free(in);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int file = take_all_numbers();
  for (int bytes = 1; bytes <= 1 << 22; bytes *= 4) {
    unsigned char *own = malloc((size_t)bytes), *exported;
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &exported);
    exchange(own, bytes);
    exchange(exported, bytes);
    MPI_Free_mem(exported);
    MPI_Bcast(own, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(holds(own, (size_t)bytes, 0));
    free(own);
  }
  struct stat facts;
  CHECK(fstat(file, &facts) == 0);
  CHECK(facts.st_size == 0 && facts.st_blocks == 0);
  MPI_Finalize();
  CHECK(fstat(file, &facts) == 0); /* still open */
  if (rank == 0) printf("came to the end\n");
  return fflush(stdout) == 0 ? 0 : 1;
}
