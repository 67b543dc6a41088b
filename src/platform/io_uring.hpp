// The kernel's queue for asynchronous reads (io_uring(7)), by liburing, which is opened at run
// time. It is used by file/.
#pragma once

#include <cstdint>

struct io_uring;

namespace baton::platform {

// A read of bytes that lie together in memory and in the file.
struct QueuedRead {
  int descriptor;
  char* data;
  std::int64_t address;  // in the file
  std::uint32_t bytes;
  void* tag;  // comes back with the completion; not null
};

struct CompletedRead {
  void* tag;   // null: what stop() has sent
  int result;  // bytes that have moved, or an errno with a minus
};

// Callers exclude each other, but for wait(), which one thread calls beside them.
class IoUring {
 public:
  // Opens a queue for so many reads at a time. Returns 0 or an errno. ENOSYS: Baton was built
  // without liburing, or there is none here, or the kernel has no io_uring; EPERM: it is not
  // permitted.
  int open(unsigned reads);
  void close();
  bool is_open() const { return ring_ != nullptr; }

  // Queues a read for submit(). No more may be under way than open() was told.
  void add(const QueuedRead& read);
  // Hands to the kernel what was added. The kernel's own threads carry it out.
  void submit();
  // Makes wait() return with a null tag.
  void stop();
  // Returns the next completion; waits for it.
  CompletedRead wait();

 private:
  ::io_uring* ring_ = nullptr;
};

}  // namespace baton::platform
