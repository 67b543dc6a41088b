/* Memory of a kind of its own, for tests: a program gets addresses that nobody may touch, neither
 * the library nor the program. The library copies there by the plug-in's own function; the program
 * looks at the same bytes at other addresses. What else touches it ends by SIGSEGV. With
 * TEST_DEVICE_DRIVER, the path of a stand-in for a device's driver (tests/device/driver), it is
 * memory of that device, of several kinds in turn, and the driver is loaded when a program first
 * wants some. With TEST_DEVICE_ONLY too it is of one kind, which other processes can open, and
 * programs take no other memory for their buffers. */
#ifndef OPAQUE_MEMORY_H
#define OPAQUE_MEMORY_H

#include <stddef.h>

/* Whether there is any. */
int opaque_is_there(void);
int opaque_is_everywhere(void);
/* Aligned to a page, zeros at first or what lay there before; null: there is none left. */
void* opaque_allocate(size_t bytes);
/* Addresses are used again once nothing is allocated; of a device, at once. Returns whether it was
 * opaque. */
int opaque_free(void* memory);
/* Where the bytes of an opaque address can be read and written; other addresses stay as they are.
 */
void* opaque_view(const void* address);
/* How many times the library has copied. */
long opaque_copies(void);

#endif
