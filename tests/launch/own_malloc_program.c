/* A rank with a malloc of its own: a block of 2 MiB goes round. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

void* __libc_malloc(unsigned long);
void* __libc_calloc(unsigned long, unsigned long);
void* __libc_realloc(void*, unsigned long);
void* __libc_memalign(unsigned long, unsigned long);
void __libc_free(void*);

void* malloc(unsigned long bytes) {
  return __libc_malloc(bytes);
}
void* calloc(unsigned long count, unsigned long bytes) {
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, unsigned long bytes) {
  return __libc_realloc(block, bytes);
}
void* memalign(unsigned long alignment, unsigned long bytes) {
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(unsigned long alignment, unsigned long bytes) {
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, unsigned long alignment, unsigned long bytes) {
  *block = __libc_memalign(alignment, bytes);
  return *block ? 0 : 12;
}
void free(void* block) {
  __libc_free(block);
}

int main(int count, char** words) {
  enum { bytes = 2 << 20 };
  MPI_Init(&count, &words);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* block = malloc(bytes);
  memset(block, rank, bytes);
  MPI_Sendrecv_replace(block, bytes, MPI_BYTE, !rank, 0, !rank, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  printf(block[bytes - 1] == !rank ? "done\n" : "wrong\n");
  free(block);
  MPI_Finalize();
  return 0;
}
