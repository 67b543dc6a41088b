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

namespace baton::platform {

namespace {

constexpr std::int64_t page = 4096;
#ifndef MADV_POPULATE_WRITE
constexpr int populate_write = 23;  // Linux 5.14
#else
constexpr int populate_write = MADV_POPULATE_WRITE;
#endif

// The one write to a mapping that is under way, for the handler of SIGBUS, which may run in any
// thread.
struct GuardedWrite {
  const char* begin;
  const char* end;
  sigjmp_buf give_up;
  struct sigaction before;
};
constinit thread_local GuardedWrite* guarded = nullptr;
constinit std::mutex guard_lock;

void on_lost_page(int number, siginfo_t* about, void*) {
  const auto* address = static_cast<const char*>(about->si_addr);
  if (guarded && address >= guarded->begin && address < guarded->end)
    siglongjmp(guarded->give_up, 1);
  // Another thread's affair, or another memory's: it faults again, under the default action. (The
  // handler before ours is back as soon as the write has ended.)
  signal(number, SIG_DFL);
}

// Makes the file long enough. Another process may be making it longer now: its system call changes
// the size first and then puts zeros behind the old end, where stores must not go before that. So
// this always makes a call that waits for such calls, also where the file is long enough.
int extend(int descriptor, std::int64_t first, std::int64_t end) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return errno;
  const bool is_long_enough = about.st_size >= end;
  const std::int64_t from = is_long_enough ? first : about.st_size;
  while (fallocate(descriptor, 0, from, is_long_enough ? 1 : end - from) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

int make_pages(void* memory, std::size_t bytes) {
  while (madvise(memory, bytes, populate_write) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

int FileMapping::open(int descriptor, std::int64_t first, std::int64_t bytes, bool makes_pages) {
  if (const int error = extend(descriptor, first, first + bytes)) return error;
  const std::int64_t begin = first / page * page;
  const std::int64_t end = (first + bytes + page - 1) / page * page;
  const auto length = static_cast<std::size_t>(end - begin);
  if (!base_ || begin < first_ || end > first_ + bytes_) {
    close();
    void* memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, begin);
    if (memory == MAP_FAILED) return errno;
    base_ = static_cast<char*>(memory);
    first_ = begin;
    bytes_ = end - begin;
  }
  return makes_pages ? make_pages(at(begin), length) : 0;
}

bool FileMapping::write(void (*store)(void* state), void* state) {
  std::lock_guard hold(guard_lock);
  GuardedWrite write{base_, base_ + bytes_, {}, {}};
  struct sigaction action {};
  action.sa_sigaction = on_lost_page;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGBUS, &action, &write.before);
  guarded = &write;
  const bool kept = sigsetjmp(write.give_up, 1) == 0;
  if (kept) store(state);
  guarded = nullptr;
  sigaction(SIGBUS, &write.before, nullptr);
  return kept;
}

void FileMapping::close() {
  if (base_) munmap(base_, static_cast<std::size_t>(bytes_));
  base_ = nullptr;
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
