#include "transport/meeting_memory.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/fork.hpp"
#include "platform/memory_file.hpp"
#include "transport/arena.hpp"

namespace baton::transport {

Error make_meeting_memory(const ProcessId* processes, std::uint32_t count, int* descriptor) {
  if (count > lockfree::ranks_max)
    return fail(MPI_ERR_OTHER, "%u processes are more than can meet (%d)", count,
                lockfree::ranks_max);
  lockfree::RingPlan rings;
  rings.unshared = 1;  // jobs that meet outlive each other
  lockfree::JobHeader header = lockfree::job_header(count, job_arena.job->cpus_usable, rings);
  const int file = platform::make_memory_file("baton-meeting", header.file_bytes);
  void* head = file < 0 ? nullptr : platform::map_memory_file(file, header.mailboxes_offset);
  if (!head) {
    const int why = errno;
    if (file >= 0) ::close(file);
    return fail(MPI_ERR_NO_MEM, "no memory in which %u processes can meet: %s", count,
                std::strerror(why));
  }
  auto* job = static_cast<lockfree::JobHeader*>(head);
  std::memcpy(head, &header, sizeof header);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto& row = lockfree::rank_row(job, i)->launcher;
    row.place = {-1, 1, -1, -1, -1, -1, -1};  // until its process tells
    row.job = static_cast<std::uint32_t>(processes[i].job);
    row.process = number_of(processes[i].rank);
  }
  platform::unmap_memory(head, header.mailboxes_offset);
  platform::keep_from_programs(file);
  *descriptor = file;
  return MPI_SUCCESS;
}

}  // namespace baton::transport
