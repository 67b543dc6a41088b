/* What GCC's own libraries, hwloc and we take from glibc 2.29 and later, for programs that are
   linked for an older one. All of it is hidden: nobody else finds it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* 2.32: "never" is the safe answer; libstdc++ then counts with atomic operations. */
char __libc_single_threaded;

/* 2.35: which loaded object has this address, and where its unwind table is. libgcc asks nothing
 * else. */
struct search {
  uintptr_t address;
  struct dl_find_object* found;
};

static int holds(struct dl_phdr_info* object, size_t size, void* about) {
  struct search* search = about;
  const ElfW(Phdr)* table = NULL;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  int inside = 0;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &object->dlpi_phdr[i];
    uintptr_t from = object->dlpi_addr + header->p_vaddr, to = from + header->p_memsz;
    if (header->p_type == PT_GNU_EH_FRAME) table = header;
    if (header->p_type != PT_LOAD) continue;
    if (from < begin) begin = from;
    if (to > end) end = to;
    if (search->address >= from && search->address < to) inside = 1;
  }
  if (!inside || !table) return 0;
  search->found->dlfo_flags = 0;
  search->found->dlfo_map_start = (void*)begin;
  search->found->dlfo_map_end = (void*)end;
  search->found->dlfo_link_map = NULL;
  search->found->dlfo_eh_frame = (void*)(object->dlpi_addr + table->p_vaddr);
  return 1;
}

int _dl_find_object(void* address, struct dl_find_object* found) {
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(holds, &search) == 1 ? 0 : -1;
}

/* 2.36, for std::random_device. */
uint32_t arc4random(void) {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number)
    if (errno != EINTR) abort();
  return number;
}

/* 2.30, for waits on a steady clock: by the realtime clock, which is what libstdc++ used before. */
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  struct timespec now, wall;
  const long second = 1000000000;
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &wall) != 0) return errno;
  wall.tv_sec += until->tv_sec - now.tv_sec;
  wall.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (wall.tv_nsec < 0) wall.tv_nsec += second, --wall.tv_sec;
  if (wall.tv_nsec >= second) wall.tv_nsec -= second, ++wall.tv_sec;
  return pthread_cond_timedwait(condition, mutex, &wall);
}

/* 2.32. */
const char* sigdescr_np(int number) {
  return number > 0 && number < NSIG ? strsignal(number) : NULL;
}

/* 2.32: the errors that system calls of ours may meet; who asks for another says its number. */
const char* strerrorname_np(int number) {
  switch (number) {
    case EPERM:
      return "EPERM";
    case ENOENT:
      return "ENOENT";
    case ESRCH:
      return "ESRCH";
    case ENOMEM:
      return "ENOMEM";
    case EACCES:
      return "EACCES";
    case EFAULT:
      return "EFAULT";
    case EINVAL:
      return "EINVAL";
    case ENOSYS:
      return "ENOSYS";
    default:
      return NULL;
  }
}

#pragma GCC visibility pop
