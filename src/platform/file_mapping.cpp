#include "platform/file_mapping.hpp"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "platform/file.hpp"

namespace baton::platform {

namespace {

constexpr std::int64_t page = 4096;
#ifndef MADV_POPULATE_READ
constexpr int populate_read = 22, populate_write = 23;  // Linux 5.14
#else
constexpr int populate_read = MADV_POPULATE_READ, populate_write = MADV_POPULATE_WRITE;
#endif

// The one access to a mapping that is under way, for the handler of SIGBUS, which may run in any
// thread.
struct GuardedAccess {
  const char* begin;
  const char* end;
  sigjmp_buf give_up;
  struct sigaction before;
};
constinit thread_local GuardedAccess* guarded = nullptr;
constinit std::mutex guard_lock;

void on_lost_page(int number, siginfo_t* about, void*) {
  const auto* address = static_cast<const char*>(about->si_addr);
  if (guarded && address >= guarded->begin && address < guarded->end)
    siglongjmp(guarded->give_up, 1);
  // Another thread's affair, or another memory's: it faults again, under the default action. (The
  // handler before ours is back as soon as the access has ended.)
  signal(number, SIG_DFL);
}

// Makes the file at least so long. Where it is already, the call waits all the same for whoever is
// making it longer: the kernel tells the new length first and then clears what lies between the old
// end and the new bytes, and would clear what we store there meanwhile.
int extend(int descriptor, std::int64_t end) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return errno;
  const bool is_long_enough = about.st_size >= end;
  const off_t first = is_long_enough ? end - 1 : about.st_size;
  const int mode = is_long_enough ? FALLOC_FL_KEEP_SIZE : 0;
  while (fallocate(descriptor, mode, first, end - first) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

int FileMapping::map(int descriptor, bool writable, std::int64_t first, std::int64_t bytes) {
  const std::int64_t begin = first / page * page;
  const std::int64_t end = (first + bytes + page - 1) / page * page;
  if (base_ && begin >= first_ && end <= first_ + bytes_) return 0;
  close();
  void* memory = mmap(nullptr, static_cast<std::size_t>(end - begin),
                      writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor, begin);
  if (memory == MAP_FAILED) return errno;
  base_ = static_cast<char*>(memory);
  first_ = begin;
  bytes_ = end - begin;
  return 0;
}

int FileMapping::open_to_write(int descriptor, std::int64_t first, std::int64_t bytes,
                               bool makes_pages) {
  if (const int error = extend(descriptor, first + bytes)) return error;
  if (const int error = map(descriptor, true, first, bytes)) return error;
  if (!makes_pages) return 0;
  if (const int error = advise(populate_write, first, bytes)) return error;
  note_ready(first, bytes);
  return 0;
}

int FileMapping::open_to_read(int descriptor, bool writable, std::int64_t first,
                              std::int64_t bytes) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return errno;
  if (about.st_size < first + bytes) return ENODATA;
  if (const int error = map(descriptor, writable, first, bytes)) return error;
  if (was_ready(first, bytes)) return 0;
  if (advise(populate_read, first, bytes) == 0) note_ready(first, bytes);
  return 0;  // pages that were not made now are made when they are read
}

bool FileMapping::is_ready(int descriptor, std::int64_t first, std::int64_t bytes) const {
  struct stat about {};
  return was_ready(first, bytes) && fstat(descriptor, &about) == 0 &&
         about.st_size >= first + bytes;
}

void FileMapping::note_ready(std::int64_t first, std::int64_t bytes) {
  if (was_ready(first, bytes)) return;
  ready_first_ = first;
  ready_end_ = first + bytes;
}

int FileMapping::advise(int advice, std::int64_t first, std::int64_t bytes) const {
  const std::int64_t begin = first / page * page;
  const auto length = static_cast<std::size_t>((first + bytes + page - 1) / page * page - begin);
  while (madvise(at(begin), length, advice) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

bool FileMapping::access(void (*act)(void* state), void* state) {
  std::lock_guard hold(guard_lock);
  GuardedAccess own{base_, base_ + bytes_, {}, {}};
  struct sigaction action {};
  action.sa_sigaction = on_lost_page;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGBUS, &action, &own.before);
  guarded = &own;
  const bool kept = sigsetjmp(own.give_up, 1) == 0;
  if (kept) act(state);
  guarded = nullptr;
  sigaction(SIGBUS, &own.before, nullptr);
  return kept;
}

void FileMapping::close() {
  if (base_) munmap(base_, static_cast<std::size_t>(bytes_));
  base_ = nullptr;
  ready_first_ = ready_end_ = 0;
}

bool is_in_memory(int descriptor, std::int64_t first, std::int64_t bytes) {
  struct stat about {};
  constexpr std::int64_t block = 512;  // of st_blocks
  if (fstat(descriptor, &about) != 0 || about.st_blocks * block < about.st_size ||
      first + bytes > about.st_size)
    return false;
  // One byte in a MiB is looked at, of long ranges 64; guess.
  const std::int64_t looks = std::clamp<std::int64_t>(bytes >> 20, 1, 64);
  for (std::int64_t i = 0; i <= looks; ++i)
    if (!is_cached(descriptor, first + (bytes - 1) / looks * i)) return false;
  return true;
}

bool is_mappable_file(int descriptor) {
  struct statfs about {};
  if (fstatfs(descriptor, &about) != 0) return false;
  constexpr unsigned long kinds[] = {0x01021994,   // tmpfs
                                     0x858458f6,   // ramfs
                                     0xef53,       // ext2 to ext4
                                     0x58465342,   // XFS
                                     0x9123683e,   // Btrfs
                                     0x794c7630};  // overlays of these
  const auto kind = static_cast<unsigned long>(about.f_type) & 0xffffffff;
  return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

}  // namespace baton::platform
