#include "transport/arena_attachment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "platform/device/device_memory.hpp"
#include "platform/device/host_registrations.hpp"
#include "platform/fork.hpp"
#include "platform/memory_file.hpp"
#include "platform/random.hpp"
#include "transport/arena.hpp"
#include "transport/attached.hpp"
#include "transport/heap.hpp"
#include "transport/move/reach.hpp"
#include "transport/next_program.hpp"
#include "transport/node_memory.hpp"
#include "transport/sleep.hpp"
#include "transport/slice_memory.hpp"

namespace baton::transport {

namespace {

// Reserves the parts that this process uses from the first message on; rings and chunks get memory
// when first used.
Error reserve_own_parts(Arena& arena) {
  const Slot own = arena.own_slot();
  const auto& layout = arena.layout;
  if (Error error = reserve_in_file(own, lockfree::mailbox_offset(*arena.job, own.index),
                                    arena.job->mailbox_bytes))
    return error;
  if (Error error = reserve(own, layout.heads, layout.rings - layout.heads)) return error;
  if (Error error = reserve(own, layout.progress, layout.staging - layout.progress)) return error;
  if (arena.job->explain)
    if (Error error = reserve(own, layout.record, sizeof(TrafficRecord))) return error;
  if (arena.job->memory_report)
    if (Error error = reserve(own, layout.memory, sizeof(lockfree::MemoryRecord))) return error;
  // ORDER chunk.free: release here, acquire in take_chunk; the pool opens with all chunks free.
  own.doorbell().chunks.free.store(~std::uint64_t{0}, std::memory_order_release);
  return MPI_SUCCESS;
}

// Maps the memory file of an arena in which this process is to have a slot.
Error map_arena(int descriptor, std::uint32_t index, lockfree::JobHeader** mapped) {
  std::uint64_t bytes = platform::memory_file_bytes(descriptor);
  if (bytes < sizeof(lockfree::JobHeader))
    return fail(MPI_ERR_OTHER,
                "descriptor %d from mpiexec is not the job's memory (%s): it was closed on the way "
                "to this program, or a rank that called MPI_Init started it. A program that a rank "
                "starts is no rank: give it an mpiexec of its own, or unset BATON_RANK",
                descriptor, std::strerror(errno));
  const char* problem = nullptr;
  lockfree::JobHeader header{};
  if (platform::read_memory_file(descriptor, &header, sizeof header)) {
    problem = lockfree::job_header_problem(header);
    // The heaps behind the arena are mapped when they are used.
    if (!problem) bytes = std::min(bytes, header.file_bytes);
  }
  if (problem)
    return fail(MPI_ERR_OTHER, "the memory that ranks share cannot be used: %s", problem);
  void* address = platform::map_memory_file(descriptor, bytes);
  if (!address)
    return fail(MPI_ERR_NO_MEM,
                "the memory that ranks share (%llu MiB of address space) cannot be mapped: %s; "
                "raise the limit (ulimit -v)",
                static_cast<unsigned long long>(bytes >> 20), std::strerror(errno));
  auto* job = static_cast<lockfree::JobHeader*>(address);
  problem = lockfree::job_header_problem(*job);
  if (!problem && (job->file_bytes > bytes || index >= job->ranks))
    problem = "its sizes do not add up";
  if (problem) {
    platform::unmap_memory(address, bytes);
    return fail(MPI_ERR_OTHER, "the memory that ranks share cannot be used: %s", problem);
  }
  *mapped = job;
  return MPI_SUCCESS;
}

// Finds memory that devices copy through: the staging of a rank, or a block of this rank's heap.
bool find_memory_for_devices(const void* address, platform::HostRange* range) {
  char* start = nullptr;
  std::size_t bytes = 0;
  if (exported_heap.find_block(address, &start, &bytes)) {
    range->start = reinterpret_cast<std::uintptr_t>(start);
    range->end = range->start + bytes;
    return true;
  }
  const lockfree::JobHeader& job = *job_arena.job;
  const std::uint64_t offset = static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                                          reinterpret_cast<const char*>(&job)) -
                               job.slices_offset;
  if (offset >= job.ranks * job.slice_bytes) return false;
  const std::uint64_t slice = offset / job.slice_bytes * job.slice_bytes;
  range->start =
      reinterpret_cast<std::uintptr_t>(&job) + job.slices_offset + slice + job_arena.layout.staging;
  range->end = range->start + lockfree::chunks_per_rank * lockfree::chunk_bytes;
  return range->contains(reinterpret_cast<std::uintptr_t>(address));
}

// Makes a mapped arena usable by this process, whose slot it is by now.
Error begin_use(Arena& arena, lockfree::JobHeader* job, int descriptor, std::uint32_t index) {
  platform::keep_from_children(job, job->file_bytes);
  platform::keep_from_programs(descriptor);
  arena.job = job;
  if (&arena == &job_arena) platform::device_memory.host_ranges.note(job, job->file_bytes);
  if (&arena == &job_arena) platform::host_registrations.use(find_memory_for_devices);
  arena.layout = lockfree::slice_layout(job->ranks, job->rings.deposit.ring_bytes);
  arena.own = index;
  arena.slots = job->ranks;
  if (!keep_file(arena, descriptor, job->launcher_pid))
    return fail(MPI_ERR_NO_MEM, "no memory to attach to the job");
  return reserve_own_parts(arena);
}

// Where this process runs, as its own launcher has it: numbers of one machine.
const lockfree::RankPlace& place_of_own_job() {
  return job_arena.own_slot().row().launcher.place;
}

void end_use(Arena& arena) {
  if (&arena == &job_arena) platform::device_memory.host_ranges.forget_noted();
  detach_regions(arena);
  forget_probes(arena);
  forget_pipes(arena);
  platform::unmap_memory(arena.job, arena.job->file_bytes);
  if (arena.file) forget_file(arena);
  std::free(arena.processes);
}

}  // namespace

Error attach(int descriptor, LocalRank rank) {
  lockfree::JobHeader* job = nullptr;
  if (Error error = map_arena(descriptor, number_of(rank), &job)) return error;
  if (Error error = become_rank(job, descriptor, rank)) {
    platform::unmap_memory(job, job->file_bytes);
    return error;
  }
  return begin_use(job_arena, job, descriptor, number_of(rank));
}

Error attach_alone(std::uint32_t cpus_usable) {
  lockfree::JobHeader header = lockfree::job_header(1, cpus_usable);
  header.world.job = platform::random_job_number();
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
      address ? attach(descriptor, LocalRank{0})
              : fail(MPI_ERR_NO_MEM, "the memory file cannot be mapped: %s", std::strerror(errno));
  if (address) platform::unmap_memory(address, header.file_bytes);
  return error;
}

void detach_arena() {
  if (!job_arena.job) return;
  while (job_arena.next) leave_meeting(job_arena.next->own_slot());
  exported_heap.detach();
  while (job_arena.page_ranges) forget_pages(job_arena.page_ranges->offset);
  end_use(job_arena);
  job_arena = Arena{};
}

Error join_meeting(int descriptor, std::uint32_t index, Slot* own) {
  lockfree::JobHeader* job = nullptr;
  if (Error error = map_arena(descriptor, index, &job)) return error;
  auto& state = lockfree::rank_row(job, index)->state;
  std::int32_t nobody = 0;
  // relaxed: one process gets the slot; nothing else depends on it.
  const bool is_ours =
      state.pid.compare_exchange_strong(nobody, ::getpid(), std::memory_order_relaxed);
  auto* arena = is_ours ? new (std::nothrow) Arena : nullptr;
  if (!arena) {
    platform::unmap_memory(job, job->file_bytes);
    return is_ours ? fail(MPI_ERR_NO_MEM, "no memory to meet processes of another job")
                   : fail(MPI_ERR_OTHER, "slot %u of the arena of meeting is process %d's already",
                          index, static_cast<int>(nobody));
  }
  Error error = begin_use(*arena, job, descriptor, index);
  if (!error) error = open_wake_pipe();
  if (error) {
    end_use(*arena);
    delete arena;
    return error;
  }
  if (job_arena.job->launcher_pid) arena->own_slot().row().launcher.place = place_of_own_job();
  publish_wake_pipe(*arena);
  offer_probe_word(*arena);
  offer_attaching(*arena);
  {
    platform::Guard guard(arenas_lock);
    arena->next = job_arena.next;
    job_arena.next = arena;
  }
  *own = arena->own_slot();
  return MPI_SUCCESS;
}

void leave_meeting(Slot own) {
  {
    platform::Guard guard(arenas_lock);
    Arena* before = &job_arena;
    while (before->next != own.arena) before = before->next;
    before->next = own.arena->next;
  }
  // relaxed: see is_there in message/core/meeting.cpp.
  own.row().state.pid.store(lockfree::left_process, std::memory_order_relaxed);
  end_use(*own.arena);
  delete own.arena;
}

}  // namespace baton::transport
