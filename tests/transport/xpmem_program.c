/* Two ranks exchange messages of many lengths between memory that fake_xpmem.c can map, and memory
 * that it cannot; more buffers than a rank keeps mapped. Run by xpmem_test.py. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { buffers = 40, bytes_max = 1 << 20 };
static int rank;

static unsigned char* buffer_of(int mapped) {
  void* memory = mmap(NULL, bytes_max, PROT_READ | PROT_WRITE,
                      (mapped ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 2);
  return memory;
}

static void fill(unsigned char* data, size_t bytes, unsigned key) {
  for (size_t i = 0; i < bytes; ++i) data[i] = (unsigned char)((i * 2654435761u >> 11) + key * 37u);
}
static void check(const unsigned char* data, size_t bytes, unsigned key) {
  for (size_t i = 0; i < bytes; ++i)
    if (data[i] != (unsigned char)((i * 2654435761u >> 11) + key * 37u)) {
      fprintf(stderr, "rank %d: byte %zu of %zu, message %u, is wrong\n", rank, i, bytes, key);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

int main(int count, char** words) {
  static const size_t lengths[] = {1, 4096, 5000, 16384, 65536, 300000, bytes_max};
  unsigned char *out[buffers], *in[buffers];
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int some_private = count > 1 && strcmp(words[1], "private") == 0;
  for (int i = 0; i < buffers; ++i) {
    out[i] = buffer_of(!some_private || i % 2);
    in[i] = buffer_of(!some_private || i % 3);
  }
  unsigned key = 0;
  for (int round = 0; round < 3; ++round)
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; ++l)
      for (int i = 0; i < buffers; ++i, key += 2) {
        MPI_Request request;
        fill(out[i], lengths[l], key + (unsigned)rank);
        if (i % 2) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(in[i], (int)lengths[l], MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &request);
        if (i % 4 == 0) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(out[i], (int)lengths[l], MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(in[i], lengths[l], key + (unsigned)(1 - rank));
      }
  if (rank == 0) printf("came to the end\n");
  return MPI_Finalize();
}
