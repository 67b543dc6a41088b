/* libxpmem's interface for tests on machines without XPMEM: preloaded, it maps memory of another
 * process that is shared to begin with, through /proc, and refuses all other; to the rank that
 * FAKE_XPMEM_REFUSES names, everything. Of the root user. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

struct xpmem_addr {
  int64_t access;
  off_t offset;
};

static struct {
  void* address;
  size_t bytes;
} attached[4096];

int64_t xpmem_make(void* address, size_t bytes, int permit_type, void* permit) {
  return address == NULL && bytes == SIZE_MAX && permit_type == 1 && permit ? getpid() : -1;
}

int64_t xpmem_get(int64_t segment, int flags, int permit_type, void* permit) {
  return flags == 2 && permit_type == 1 && permit == NULL ? segment : -1;
}

/* The shared mapping there that holds all of it: opened, and where in the file `address` is; or -1.
 */
static int open_mapping(int64_t process, uint64_t address, size_t bytes, uint64_t* place) {
  char name[80], line[512], permissions[8];
  uint64_t begin, end, first; /* of the file */
  int found = -1;
  snprintf(name, sizeof name, "/proc/%d/maps", (int)process);
  FILE* maps = fopen(name, "r");
  while (maps && found < 0 && fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%lx-%lx %7s %lx", &begin, &end, permissions, &first) != 4) continue;
    if (address < begin || address + bytes > end || permissions[3] != 's') continue;
    snprintf(name, sizeof name, "/proc/%d/map_files/%lx-%lx", (int)process, begin, end);
    found = open(name, O_RDWR);
    *place = first + (address - begin);
  }
  if (maps) fclose(maps);
  return found;
}

void* xpmem_attach(struct xpmem_addr place, size_t bytes, void* wanted) {
  const char *refused = getenv("FAKE_XPMEM_REFUSES"), *rank = getenv("BATON_RANK");
  uint64_t from, address = (uint64_t)place.offset;
  if (refused && rank && strcmp(refused, rank) == 0) return MAP_FAILED;
  int file = wanted ? -1 : open_mapping(place.access, address, bytes, &from);
  if (file < 0) return MAP_FAILED;
  void* mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)from);
  close(file);
  for (int i = 0; mapped != MAP_FAILED && i < 4096; ++i)
    if (!attached[i].address) {
      attached[i].address = mapped;
      attached[i].bytes = bytes;
      break;
    }
  return mapped;
}

int xpmem_detach(void* address) {
  for (int i = 0; i < 4096; ++i)
    if (attached[i].address == address) {
      attached[i].address = NULL;
      return munmap(address, attached[i].bytes);
    }
  return -1;
}
