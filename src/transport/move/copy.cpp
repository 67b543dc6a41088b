#include "transport/move/copy.hpp"

#include <algorithm>

#include "platform/copy.hpp"
#include "transport/move/reach.hpp"

namespace baton::transport {

namespace {

int pid_of(Slot owner) {
  // relaxed: it was set before contact.
  return owner.row().state.pid.load(std::memory_order_relaxed);
}

// Calls copy(process id, offset, bytes) until all is copied; returns false when the kernel refuses.
template <class Copy>
bool copy_all(Slot owner, std::int64_t bytes, Copy copy) {
  constexpr std::int64_t step_bytes = 1 << 20;  // guess: short enough to be interruptible
  const int pid = pid_of(owner);
  for (std::int64_t done = 0; done < bytes;) {
    std::int64_t got =
        copy(pid, done, static_cast<std::size_t>(std::min(bytes - done, step_bytes)));
    if (got <= 0) return false;
    done += got;
  }
  return true;
}

}  // namespace

bool copy_from(const Memory& theirs, void* ours, std::int64_t bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  const char* here = map(theirs, length);
  if (!here) return kernel_copy_from(theirs, ours, bytes);
  platform::copy_run(ours, here, length);
  return true;
}

bool copy_to(const Memory& theirs, const void* ours, std::int64_t bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  char* here = map(theirs, length);
  if (!here) return kernel_copy_to(theirs, ours, bytes);
  platform::copy_run(here, ours, length);
  return true;
}

bool kernel_copy_from(const Memory& theirs, void* ours, std::int64_t bytes) {
  auto* from = static_cast<const char*>(theirs.address);
  auto* to = static_cast<char*>(ours);
  return copy_all(theirs.owner, bytes, [&](int pid, std::int64_t offset, std::size_t step) {
    return platform::read_process_memory(pid, from + offset, to + offset, step);
  });
}

bool kernel_copy_to(const Memory& theirs, const void* ours, std::int64_t bytes) {
  auto* from = static_cast<const char*>(ours);
  auto* to = static_cast<char*>(const_cast<void*>(theirs.address));
  return copy_all(theirs.owner, bytes, [&](int pid, std::int64_t offset, std::size_t step) {
    return platform::write_process_memory(pid, from + offset, to + offset, step);
  });
}

bool kernel_copy_runs_from(Slot owner, const platform::ProcessRuns& theirs, void* ours) {
  return theirs.read(pid_of(owner), ours);
}

bool kernel_copy_runs_to(Slot owner, const platform::ProcessRuns& theirs, const void* ours) {
  return theirs.write(pid_of(owner), ours);
}

}  // namespace baton::transport
