#define _GNU_SOURCE
#include "opaque_memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/memory_kind.h"
#include "standin.h"

enum { page = 4096 };
static const size_t space = (size_t)1 << 32;

static char *opaque, *view;
static size_t used, living;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long copies;

/* ---- of a device ---- */

static struct {
  int (*init)(unsigned);
  int (*retain)(void** context, int device);
  int (*set_current)(void* context);
  int (*release)(uint64_t memory);
  void* (*allocate)(StandinKind kind, size_t bytes, void* place);
  void* (*view)(const void* address);
  StandinCounts (*counts)(void);
  void* context;
} driver;
static pthread_once_t driver_is_open = PTHREAD_ONCE_INIT;

static const char* driver_path(void) {
  return getenv("TEST_DEVICE_DRIVER");
}

static void* look_up(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (!found) fprintf(stderr, "%s has no %s\n", driver_path(), name), abort();
  return found;
}

static void open_driver(void) {
  void* library = dlopen(driver_path(), RTLD_NOW);
  if (!library) fprintf(stderr, "%s\n", dlerror()), abort();
  *(void**)&driver.init = look_up(library, "cuInit");
  *(void**)&driver.retain = look_up(library, "cuDevicePrimaryCtxRetain");
  *(void**)&driver.set_current = look_up(library, "cuCtxSetCurrent");
  *(void**)&driver.release = look_up(library, "cuMemFree_v2");
  *(void**)&driver.allocate = look_up(library, "standin_allocate");
  *(void**)&driver.view = look_up(library, "standin_view");
  *(void**)&driver.counts = look_up(library, "standin_counts");
  if (driver.init(0) || driver.retain(&driver.context, 0)) abort();
}

int opaque_is_everywhere(void) {
  return getenv("TEST_DEVICE_ONLY") != NULL;
}

/* Most is of cuMemAlloc; some that other processes cannot open, or only for a while; some managed.
 */
static void* allocate_on_device(size_t bytes) {
  static const StandinKind kinds[] = {
      standin_device, standin_device, standin_pool,    standin_device, standin_virtual,
      standin_device, standin_device, standin_managed, standin_device, standin_shared_pool};
  static atomic_uint next;
  pthread_once(&driver_is_open, open_driver);
  driver.set_current(driver.context);
  const unsigned turn = opaque_is_everywhere() ? 0 : atomic_fetch_add(&next, 1);
  const StandinKind kind = kinds[turn % (sizeof kinds / sizeof *kinds)];
  return driver.allocate(kind, bytes ? bytes : 1, NULL);
}

/* ---- of a plug-in's kind ---- */

__attribute__((constructor)) static void reserve(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  opaque = mmap(NULL, space, PROT_NONE, flags, -1, 0);
  view = mmap(NULL, space, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (opaque == MAP_FAILED || view == MAP_FAILED) opaque = view = NULL;
}

static int contains(const void* address) {
  return opaque && (uintptr_t)address - (uintptr_t)opaque < space;
}

int opaque_is_there(void) {
  return driver_path() || getenv("BATON_MEMORY_KIND");
}

void* opaque_view(const void* address) {
  if (driver_path()) return driver.view ? driver.view(address) : (void*)address;
  return contains(address) ? view + ((const char*)address - opaque) : (void*)address;
}

void* opaque_allocate(size_t bytes) {
  if (driver_path()) return allocate_on_device(bytes);
  /* Between two allocations lies a page of nobody. */
  size_t taken = (bytes + page - 1) / page * page + page;
  void* memory = NULL;
  pthread_mutex_lock(&lock);
  if (opaque && taken <= space - used) {
    memory = opaque + used;
    used += taken;
    ++living;
  }
  pthread_mutex_unlock(&lock);
  return memory;
}

int opaque_free(void* memory) {
  if (!memory) return 0;
  if (driver_path()) return driver.release && driver.release((uint64_t)memory) == 0;
  if (!contains(memory)) return 0;
  pthread_mutex_lock(&lock);
  if (--living == 0) used = 0;
  pthread_mutex_unlock(&lock);
  return 1;
}

static const char* copy(void* to, const void* from, size_t bytes) {
  atomic_fetch_add(&copies, 1);
  if (getenv("OPAQUE_REFUSES")) return "it was told to refuse";
  memcpy(opaque_view(to), opaque_view(from), bytes);
  return NULL;
}

long opaque_copies(void) {
  if (driver_path()) return driver.counts ? driver.counts().copies : 0;
  return atomic_load(&copies);
}

const struct BatonMemoryKind baton_memory_kind = {baton_memory_kind_version, "opaque", contains,
                                                  copy};
