/* What tests may ask of the stand-in driver beside the driver's own interface. A program opens the
 * library (dlopen) and finds these by name. */
#ifndef STANDIN_H
#define STANDIN_H

#include <stddef.h>

typedef enum {
  standin_device,  /* cuMemAlloc */
  standin_pool,    /* cuMemAllocAsync, of the default pool: belongs to no context, no IPC */
  standin_virtual, /* cuMemCreate and cuMemMap, in a reservation of its own: the same */
  standin_managed, /* cuMemAllocManaged */
  standin_pinned,  /* cuMemHostAlloc */
  standin_registered,
  standin_imported,     /* cuIpcOpenMemHandle */
  standin_shareable,    /* cuMemCreate with a descriptor, in addresses of its own */
  standin_mapped,       /* what cuMemMap has mapped of another process's */
  standin_shared_pool,  /* cuMemAllocFromPoolAsync, of a pool with descriptors */
  standin_pool_imported /* cuMemPoolImportPointer */
} StandinKind;

typedef struct {
  long blocks, contexts, streams, events, imports, copies, questions, launches, modules, registered,
      registrations, flushes;
} StandinCounts;

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates memory of a kind in the current context; null: there is none. `place`: virtual memory
 * lies there, where nothing may be mapped; else 0. */
void* standin_allocate(StandinKind kind, size_t bytes, void* place);
/* Where the bytes of an address can be touched; other addresses stay as they are. */
void* standin_view(const void* address);
StandinCounts standin_counts(void);
/* From now on every call fails, as after a fault on the device. */
void standin_lose(void);

#ifdef __cplusplus
}
#endif

#endif
