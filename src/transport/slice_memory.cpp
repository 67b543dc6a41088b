#include "transport/slice_memory.hpp"

#include <cerrno>
#include <cstring>

#include "platform/memory_file.hpp"
#include "transport/placing.hpp"

namespace baton::transport {

Error reserve_in_file(Slot owner, std::uint64_t start, std::uint64_t bytes) {
  if (BATON_UNLIKELY(owner.memory().queues.strict))
    if (Error error = check_slice_space(owner, bytes)) return error;
  if (const int descriptor = file_of(*owner.arena);
      platform::reserve_memory(descriptor, start, bytes))
    return MPI_SUCCESS;
  // Without the file, or where a container's filter refuses fallocate, madvise may still reserve.
  if (errno == EBADF || errno == EPERM || errno == ENOSYS) {
    const int cause = errno;
    if (platform::reserve_mapped_memory(reinterpret_cast<char*>(owner.arena->job) + start, bytes))
      return MPI_SUCCESS;
    return fail(MPI_ERR_NO_MEM,
                "the kernel does not let this process reserve memory (fallocate: %s, madvise: "
                "error %d); permit one of them in the container's system call filter",
                std::strerror(cause), errno);
  }
  return fail(
      MPI_ERR_NO_MEM,
      "no memory for %llu KiB of message buffers: %s; give the job more (container or cgroup "
      "limit, ulimit -f)",
      static_cast<unsigned long long>(bytes >> 10), std::strerror(errno));
}

Error reserve(Slot owner, std::uint64_t offset, std::uint64_t bytes) {
  return reserve_in_file(owner, lockfree::slice_offset(*owner.arena->job, owner.index) + offset,
                         bytes);
}

}  // namespace baton::transport
