/* A kind of memory that the processor must not touch, such as that of a device, as a plug-in
 * describes it: a shared library, named by BATON_MEMORY_KIND, that exports `baton_memory_kind`.
 * Whoever writes one includes this file. */
#ifndef BATON_MEMORY_KIND_H
#define BATON_MEMORY_KIND_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { baton_memory_kind_version = 1 };

/* The functions may be called by any thread at any time after the library was opened. */
struct BatonMemoryKind {
  unsigned version; /* baton_memory_kind_version */
  const char* name; /* for people */
  /* Returns whether an address lies in memory of this kind. A buffer is of one kind as a whole. */
  int (*contains)(const void* address);
  /* Copies bytes when at least one of the two ranges is of this kind; they do not overlap. Returns
   * 0 when the bytes are there; else why they are not, in words that stay. */
  const char* (*copy)(void* to, const void* from, size_t bytes);
};

extern const struct BatonMemoryKind baton_memory_kind;

#ifdef __cplusplus
}
#endif

#endif
