/* What the programs of the bad cases share: a check that ends the job with words, and data that
 * tells where it came from. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;

#define CHECK(condition)                                                                     \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 99);                                                         \
    }                                                                                        \
  } while (0)

static inline void fill(unsigned char* data, size_t bytes, unsigned key) {
  for (size_t i = 0; i < bytes; ++i) data[i] = (unsigned char)((i * 2654435761u >> 11) + key * 37u);
}
static inline int holds(const unsigned char* data, size_t bytes, unsigned key) {
  for (size_t i = 0; i < bytes; ++i)
    if (data[i] != (unsigned char)((i * 2654435761u >> 11) + key * 37u)) return 0;
  return 1;
}

#endif
