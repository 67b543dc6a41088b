/* Memory for the buffers of programs that also run where a plug-in describes a kind of memory that
 * nobody may touch: there every second buffer, at random, is of that kind. A program writes and
 * reads a buffer where `seen` says, and gives its address to calls alone. */
#ifndef ANY_MEMORY_H
#define ANY_MEMORY_H

#include "conformance.h"
#include "opaque_memory.h"

static _Thread_local uint64_t memory_drawn; /* the state of what is drawn; each rank's own */

static inline int draws_opaque(void) {
  if (memory_drawn == 0) memory_drawn = (uint64_t)rank + 1;
  return opaque_is_there() && (next_random(&memory_drawn) % 2 || opaque_is_everywhere());
}

static inline void* take_memory(size_t bytes) {
  return draws_opaque() ? opaque_allocate(bytes) : malloc(bytes);
}

static inline void* seen(const void* memory) {
  return opaque_view(memory);
}

static inline void give_back_memory(void* memory) {
  if (!opaque_free(memory)) free(memory);
}

#endif
