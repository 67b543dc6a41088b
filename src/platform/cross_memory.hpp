// Cross-memory attach copies once, straight between two processes, where the kernel permits it.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace baton::platform {

// Copies from another process's memory. Returns the bytes copied (fewer than asked when part of the
// range is unmapped), or -1 with errno set (EPERM: not permitted here; ESRCH: it has ended; EFAULT:
// nothing is mapped there).
std::int64_t read_process_memory(int pid, const void* remote, void* local, std::size_t bytes);

// Copies to another process's memory. Results are as above.
std::int64_t write_process_memory(int pid, const void* local, void* remote, std::size_t bytes);

// These are ranges of another process's memory that are copied together.
class ProcessRuns {
 public:
  bool has_space() const { return count_ < runs_max; }
  std::size_t bytes() const { return bytes_; }
  bool is_empty() const { return count_ == 0; }
  void add(const void* remote, std::size_t bytes) {
    runs_[count_++] = {const_cast<void*>(remote), bytes};
    bytes_ += bytes;
  }
  void clear() {
    count_ = 0;
    bytes_ = 0;
  }
  // Copies all ranges from or to `local`, one after another. Returns whether the kernel copied all
  // of them; else errno is set as above.
  bool read(int pid, void* local) const;
  bool write(int pid, const void* local) const;

 private:
  static constexpr std::size_t runs_max = 256;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  iovec runs_[runs_max];
};

// Lets a process and its descendants copy from and to our memory where Yama forbids it to all but
// our ancestors (kernel.yama.ptrace_scope 1). Without Yama it does nothing.
void permit_attach(int pid);

}  // namespace baton::platform
