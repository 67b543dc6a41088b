/* The stand-in driver as a program has it that opens it by the path in TEST_DEVICE_DRIVER. */
#ifndef DEVICE_DRIVER_H
#define DEVICE_DRIVER_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "standin.h"

/* Ends the job of a program, whose `rank` this is, if the condition does not hold. */
#define HELD(condition)                                                                      \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
    }                                                                                        \
  } while (0)

static struct {
  int (*init)(unsigned);
  int (*create_context)(void** context, unsigned flags, int device);
  int (*destroy_context)(void* context);
  int (*release)(uint64_t memory);
  void* (*allocate)(StandinKind kind, size_t bytes, void* place);
  void* (*view)(const void* address);
  StandinCounts (*counts)(void);
  void (*lose)(void);
  void* context;
} device;

static inline void* device_function(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (!found) fprintf(stderr, "the driver has no %s\n", name), abort();
  return found;
}

/* Opens it, and makes a context, which is current in this thread. */
static inline void open_device(void) {
  void* library = dlopen(getenv("TEST_DEVICE_DRIVER"), RTLD_NOW);
  if (!library) fprintf(stderr, "%s\n", dlerror()), abort();
  *(void**)&device.init = device_function(library, "cuInit");
  *(void**)&device.create_context = device_function(library, "cuCtxCreate_v2");
  *(void**)&device.destroy_context = device_function(library, "cuCtxDestroy_v2");
  *(void**)&device.release = device_function(library, "cuMemFree_v2");
  *(void**)&device.allocate = device_function(library, "standin_allocate");
  *(void**)&device.view = device_function(library, "standin_view");
  *(void**)&device.counts = device_function(library, "standin_counts");
  *(void**)&device.lose = device_function(library, "standin_lose");
  if (device.init(0) || device.create_context(&device.context, 0, 0)) abort();
}

#endif
