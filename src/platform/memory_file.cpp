#include "platform/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace baton::platform {

int make_memory_file(const char* name, std::uint64_t bytes) {
  // A limit on file sizes (ulimit -f) counts for memory files too, and exceeding it raises a
  // signal.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur) {
    errno = EFBIG;
    return -1;
  }
  int descriptor = memfd_create(name, MFD_ALLOW_SEALING);
  if (descriptor < 0) return -1;
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0 ||
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    int cause = errno;
    close(descriptor);
    errno = cause;
    return -1;
  }
  return descriptor;
}

std::uint64_t memory_file_bytes(int descriptor) {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return 0;
  return static_cast<std::uint64_t>(facts.st_size);
}

void* map_memory_file(int descriptor, std::uint64_t bytes, std::uint64_t offset) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                       static_cast<off_t>(offset));
  return address == MAP_FAILED ? nullptr : address;
}

void unmap_memory(void* address, std::uint64_t bytes) {
  munmap(address, bytes);
}

bool reserve_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  while (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                   static_cast<off_t>(bytes)) != 0)
    if (errno != EINTR) return false;
  return true;
}

void release_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(bytes));
}

bool read_memory_file(int descriptor, void* target, std::size_t bytes) {
  return pread(descriptor, target, bytes, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace baton::platform
