/* What the conformance programs share: a check that names what failed, a seeded random number, and
 * data that tells where it came from. Each program is run by mpiexec --timeout, so that a hang
 * ends. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(condition)                                                                    \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr, "%s:%d: rank %d of %d: not so: %s\n", __FILE__, __LINE__, rank, size, \
              #condition);                                                                  \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                         \
    }                                                                                       \
  } while (0)

static inline void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static inline int finish(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("all checks held on %d ranks\n", size);
  return MPI_Finalize();
}

/* splitmix64: the same numbers on every machine for the same seed. */
static inline uint64_t next_random(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Bytes that depend on where they lie and on a key, with no short period. */
static inline unsigned char byte_at(size_t i, uint64_t key) {
  return (unsigned char)((i * 2654435761u) >> 13) ^ (unsigned char)(key * 151u);
}
static inline void fill_bytes(unsigned char* data, size_t bytes, uint64_t key) {
  for (size_t i = 0; i < bytes; ++i) data[i] = byte_at(i, key);
}
static inline int bytes_are(const unsigned char* data, size_t bytes, uint64_t key) {
  for (size_t i = 0; i < bytes; ++i)
    if (data[i] != byte_at(i, key)) return 0;
  return 1;
}

#endif
