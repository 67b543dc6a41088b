#include "transport/arena_attachment.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/fork.hpp"
#include "platform/memory_file.hpp"
#include "transport/arena.hpp"
#include "transport/attached.hpp"
#include "transport/heap.hpp"
#include "transport/next_program.hpp"
#include "transport/single_copy.hpp"
#include "transport/slice_memory.hpp"

namespace baton::transport {

namespace {

// Reserves the parts that this rank uses from the first message on; rings and chunks get memory
// when first used.
Error reserve_own_parts() {
  const auto& layout = arena.layout;
  if (Error error =
          reserve_in_file(arena.rank, lockfree::mailbox_offset(*arena.job, number_of(arena.rank)),
                          arena.job->mailbox_bytes))
    return error;
  if (Error error = reserve(arena.rank, layout.heads, layout.rings - layout.heads)) return error;
  if (Error error = reserve(arena.rank, layout.progress, layout.staging - layout.progress))
    return error;
  if (arena.job->explain)
    if (Error error = reserve(arena.rank, layout.record, sizeof(TrafficRecord))) return error;
  if (arena.job->memory_report)
    if (Error error = reserve(arena.rank, layout.memory, sizeof(lockfree::MemoryRecord)))
      return error;
  // ORDER chunk.free: release here, acquire in take_chunk; the pool opens with all chunks free.
  arena.doorbell(arena.rank).chunks.free.store(~std::uint64_t{0}, std::memory_order_release);
  return MPI_SUCCESS;
}

}  // namespace

Error attach_arena(int descriptor, LocalRank rank) {
  std::uint64_t bytes = platform::memory_file_bytes(descriptor);
  if (bytes < sizeof(lockfree::JobHeader))
    return fail(MPI_ERR_OTHER,
                "descriptor %d from mpiexec is not the job's memory (%s): it was closed on the way "
                "to this program, or a rank that called MPI_Init started it. A program that a rank "
                "starts is no rank: give it an mpiexec of its own, or unset BATON_RANK",
                descriptor, std::strerror(errno));
  lockfree::JobHeader header{};
  if (platform::read_memory_file(descriptor, &header, sizeof header) && header.file_bytes < bytes)
    bytes = header.file_bytes;  // the heaps behind it are mapped when they are used
  void* address = platform::map_memory_file(descriptor, bytes);
  if (!address)
    return fail(MPI_ERR_NO_MEM,
                "the job's memory (%llu MiB of address space) cannot be mapped: %s; "
                "raise the limit (ulimit -v)",
                static_cast<unsigned long long>(bytes >> 20), std::strerror(errno));
  auto* job = static_cast<lockfree::JobHeader*>(address);
  const char* problem = lockfree::job_header_problem(*job);
  if (!problem && (job->file_bytes > bytes || number_of(rank) >= job->ranks))
    problem = "its sizes do not add up";
  if (problem) {
    platform::unmap_memory(address, bytes);
    return fail(MPI_ERR_OTHER, "the job's memory cannot be used: %s", problem);
  }
  if (Error error = become_rank(job, descriptor, rank)) {
    platform::unmap_memory(address, bytes);
    return error;
  }
  platform::keep_from_children(address, bytes);
  platform::keep_from_programs(descriptor);
  keep_job_file(descriptor, job->launcher_pid);
  arena = {job, lockfree::slice_layout(job->ranks, job->rings.deposit.ring_bytes), rank,
           job->ranks};
  return reserve_own_parts();
}

Error make_lone_arena(std::uint32_t cpus_usable) {
  lockfree::JobHeader header = lockfree::job_header(1, cpus_usable);
  int descriptor = platform::make_memory_file("baton", header.file_bytes);
  if (descriptor < 0)
    return fail(MPI_ERR_NO_MEM,
                "no memory file of %llu MiB (mostly never touched) for this process: %s%s",
                static_cast<unsigned long long>(header.file_bytes >> 20), std::strerror(errno),
                errno == EFBIG ? "; raise the limit on file sizes (ulimit -f)"
                : errno == EPERM || errno == ENOSYS
                    ? "; permit memfd_create in the container's system call filter"
                    : "");
  void* address = platform::map_memory_file(descriptor, header.file_bytes);
  if (address) std::memcpy(address, &header, sizeof header);
  Error error =
      address ? attach_arena(descriptor, LocalRank{0})
              : fail(MPI_ERR_NO_MEM, "the memory file cannot be mapped: %s", std::strerror(errno));
  if (address) platform::unmap_memory(address, header.file_bytes);
  return error;
}

void detach_arena() {
  if (!arena.job) return;
  detach_heap();
  detach_regions();
  forget_verdicts();
  platform::unmap_memory(arena.job, arena.job->file_bytes);
  if (int descriptor = job_file(); descriptor >= 0) close(descriptor);
  arena = Arena{};
}

}  // namespace baton::transport
