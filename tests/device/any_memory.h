/* Memory of all kinds that programs of these tests send from and receive to, and what is in it. */
#ifndef ANY_MEMORY_H
#define ANY_MEMORY_H

#include <mpi.h>
#include <string.h>

#include "device_driver.h"

static int rank, ranks;

static inline unsigned char byte_of(size_t i, unsigned key) {
  return (unsigned char)((i * 2654435761u + key * 2246822519u) >> 20);
}
/* A rank that has not loaded the driver has host memory alone. */
static inline unsigned char* view(const void* memory) {
  return device.view ? device.view(memory) : (void*)memory;
}
static inline void fill(void* memory, size_t bytes, unsigned key) {
  unsigned char* seen = view(memory);
  for (size_t i = 0; i < bytes; ++i) seen[i] = byte_of(i, key);
}
static inline int holds(const void* memory, size_t bytes, unsigned key) {
  const unsigned char* seen = view(memory);
  for (size_t i = 0; i < bytes; ++i)
    if (seen[i] != byte_of(i, key)) return 0;
  return 1;
}

static inline void* take(const char* kind, size_t bytes) {
  static const char* const names[] = {"device", "pool", "virtual",   "managed", "pinned",
                                      "",       "",     "shareable", "",        "shared_pool"};
  if (strcmp(kind, "host") == 0) return malloc(bytes);
  if (strcmp(kind, "mpi") == 0) {
    void* memory;
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
    return memory;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(kind, names[i]) == 0) {
      void* memory = device.allocate((StandinKind)i, bytes, NULL);
      HELD(memory);
      return memory;
    }
  HELD(!"a kind");
  return NULL;
}
static inline void give_back(const char* kind, void* memory) {
  if (strcmp(kind, "host") == 0)
    free(memory);
  else if (strcmp(kind, "mpi") == 0)
    MPI_Free_mem(memory);
  else
    HELD(device.release((uint64_t)memory) == 0);
}

#endif
