#include "platform/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/cache_line.hpp"

namespace baton::platform {

namespace {

// The headers of older systems do not have these constants.
constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, Linux 5.14
constexpr int collapse = 25;        // MADV_COLLAPSE, Linux 6.1

// Maps address space only, at a multiple of `alignment`.
char* make_address_space(std::uint64_t bytes, std::uint64_t alignment) {
  std::uint64_t all = bytes + alignment;
  void* found = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return nullptr;
  auto* start = static_cast<char*>(found);
  std::uint64_t before = round_up(reinterpret_cast<std::uint64_t>(start), alignment) -
                         reinterpret_cast<std::uint64_t>(start);
  if (before) munmap(start, before);
  munmap(start + before + bytes, all - before - bytes);
  return start + before;
}

// Opens a file without a name in `folder`. Where that fails it keeps the former errno.
int open_nameless(const char* folder) {
  const int cause = errno;
  const int descriptor = open(folder, O_TMPFILE | O_RDWR, 0600);
  if (descriptor < 0) errno = cause;
  return descriptor;
}

}  // namespace

int make_memory_file(const char* name, std::uint64_t bytes) {
  // A limit on file sizes (ulimit -f) counts for memory files too; exceeding it raises a signal.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur) {
    errno = EFBIG;
    return -1;
  }
  int descriptor = memfd_create(name, MFD_ALLOW_SEALING);
  const bool sealed = descriptor >= 0;
  // Where a container's filter refuses memfds, the file is one of /dev/shm without a name, which
  // has no seals.
  if (!sealed) descriptor = open_nameless("/dev/shm");
  if (descriptor < 0) return -1;
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0 ||
      (sealed && fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)) {
    int cause = errno;
    close(descriptor);
    errno = cause;
    return -1;
  }
  return descriptor;
}

FileIdentity file_identity(int descriptor) {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return {};
  return {facts.st_dev, facts.st_ino};
}

int move_to_high_number(int descriptor) {
  constexpr rlim_t beyond_most_programs = 512;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return descriptor;
  const auto lowest = static_cast<int>(std::min(limit.rlim_cur / 2, beyond_most_programs));
  if (descriptor >= lowest) return descriptor;
  const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
  if (high < 0) return descriptor;
  close(descriptor);
  return high;
}

int open_from_process(int process, int descriptor) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", process, descriptor);
  return open(path, O_RDWR | O_CLOEXEC);
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

void* map_memory_file_for_huge_pages(int descriptor, std::uint64_t bytes, std::uint64_t offset) {
  char* address = make_address_space(bytes, huge_page_bytes);
  if (!address) return nullptr;
  void* mapped = mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor,
                      static_cast<off_t>(offset));
  if (mapped != MAP_FAILED) return mapped;
  int cause = errno;
  munmap(address, bytes);
  errno = cause;
  return nullptr;
}

void unmap_memory(void* address, std::uint64_t bytes) {
  munmap(address, bytes);
}

void set_dumped(void* address, std::uint64_t bytes, bool dumped) {
  // Kernels without this advice dump more than is needed.
  (void)madvise(address, bytes, dumped ? MADV_DODUMP : MADV_DONTDUMP);
}

bool reserve_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  while (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                   static_cast<off_t>(bytes)) != 0)
    if (errno != EINTR) return false;
  return true;
}

bool reserve_mapped_memory(void* address, std::uint64_t bytes) {
  return madvise(address, bytes, populate_write) == 0;
}

bool reserve_huge_memory(int descriptor, std::uint64_t offset, void* address, std::uint64_t bytes,
                         bool* huge) {
  // Where the system grants huge pages to shared memory on request, pages come huge at once; else
  // small ones are collapsed into huge ones.
  *huge = false;
  if (madvise(address, bytes, MADV_HUGEPAGE) == 0) madvise(address, bytes, populate_write);
  if (!reserve_memory(descriptor, offset, bytes)) return false;
  *huge = madvise(address, bytes, collapse) == 0;
  return true;
}

bool grants_huge_memory() {
  const int file = make_memory_file("baton-huge", huge_page_bytes);
  if (file < 0) return false;
  bool huge = false;
  void* memory = map_memory_file_for_huge_pages(file, huge_page_bytes, 0);
  if (memory) {
    huge = reserve_huge_memory(file, 0, memory, huge_page_bytes, &huge) && huge;
    unmap_memory(memory, huge_page_bytes);
  }
  close(file);
  return huge;
}

void* make_private_memory(std::uint64_t bytes, std::uint64_t alignment) {
  char* address = make_address_space(bytes, alignment);
  if (!address) return nullptr;
  if (mprotect(address, bytes, PROT_READ | PROT_WRITE) == 0) return address;
  int cause = errno;
  munmap(address, bytes);
  errno = cause;
  return nullptr;
}

bool reserve_private_memory(void* address, std::uint64_t bytes) {
  // Kernels that do not know this advice provide the memory at its first use.
  return reserve_mapped_memory(address, bytes) || errno == EINVAL;
}

int collapse_error() {
  void* memory = make_private_memory(huge_page_bytes, huge_page_bytes);
  if (!memory) return errno;
  std::memset(memory, 1, huge_page_bytes);
  const int error = madvise(memory, huge_page_bytes, collapse) == 0 ? 0 : errno;
  munmap(memory, huge_page_bytes);
  return error;
}

bool ask_for_huge_pages(void* address, std::uint64_t bytes) {
  return madvise(address, bytes, MADV_HUGEPAGE) == 0;
}

bool take_turn(int descriptor) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  while (fcntl(descriptor, F_SETLKW, &whole) != 0)
    if (errno != EINTR) return false;
  return true;
}

void give_up_turn(int descriptor) {
  struct flock whole {};
  whole.l_type = F_UNLCK;
  fcntl(descriptor, F_SETLK, &whole);
}

void release_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  (void)clear_memory(descriptor, offset, bytes);
}

bool clear_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                   static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0;
}

bool read_memory_file(int descriptor, void* target, std::size_t bytes) {
  return pread(descriptor, target, bytes, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace baton::platform
