#define _GNU_SOURCE
#include "opaque_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/memory_kind.h"

enum { page = 4096 };
static const size_t space = (size_t)1 << 32;

static char *opaque, *view;
static size_t used, living;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long copies;

__attribute__((constructor)) static void reserve(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  opaque = mmap(NULL, space, PROT_NONE, flags, -1, 0);
  view = mmap(NULL, space, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (opaque == MAP_FAILED || view == MAP_FAILED) opaque = view = NULL;
}

static int contains(const void* address) {
  return opaque && (uintptr_t)address - (uintptr_t)opaque < space;
}

void* opaque_view(const void* address) {
  return contains(address) ? view + ((const char*)address - opaque) : (void*)address;
}

void* opaque_allocate(size_t bytes) {
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

void opaque_free(void* memory) {
  if (!memory) return;
  pthread_mutex_lock(&lock);
  if (--living == 0) used = 0;
  pthread_mutex_unlock(&lock);
}

static const char* copy(void* to, const void* from, size_t bytes) {
  atomic_fetch_add(&copies, 1);
  if (getenv("OPAQUE_REFUSES")) return "it was told to refuse";
  memcpy(opaque_view(to), opaque_view(from), bytes);
  return NULL;
}

long opaque_copies(void) {
  return atomic_load(&copies);
}

const struct BatonMemoryKind baton_memory_kind = {baton_memory_kind_version, "opaque", contains,
                                                  copy};
