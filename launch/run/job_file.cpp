#include "launch/run/job_file.hpp"

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "lockfree/doorbell.hpp"
#include "platform/futex.hpp"
#include "platform/memory_file.hpp"
#include "platform/random.hpp"

namespace baton::launch {

namespace {

std::string failure(const char* what) {
  return std::string("cannot make the job's memory file: ") + what + ": " + std::strerror(errno);
}

// A limit on file size (ulimit -f) counts for memory files too, and exceeding it raises a signal.
std::expected<void, std::string> check_file_limit(std::uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  if (bytes <= limit.rlim_cur) return {};
  return std::unexpected("the job's memory file spans " + std::to_string(bytes >> 20) +
                         " MiB (mostly never touched), and the limit on file sizes is " +
                         std::to_string(limit.rlim_cur >> 20) + " MiB; raise it with ulimit -f");
}

// Plans the address space for each rank's exported heap: as much as the machine has memory, so that
// nothing a rank can allocate is too large; with the program's own malloc in it, three times as
// much, since an allocator leaves gaps. It is less where ranks could not map all heaps. There is
// none where a limit on file sizes forbids it.
void plan_heaps(lockfree::JobHeader& header, bool export_heap) {
  constexpr std::uint64_t unit = std::uint64_t{1} << 30;
  constexpr std::uint64_t all_max = std::uint64_t{64} << 40;  // half of a process's address space
  auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
  std::uint64_t parts = export_heap ? 3 : 1;
  std::uint64_t bytes = std::min((pages * page_bytes + unit - 1) / unit * unit,
                                 all_max / header.ranks / parts / unit * unit);
  std::uint64_t all = header.heaps_offset + header.ranks * parts * bytes;
  rlimit limit{};
  bool limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (limited && all > limit.rlim_cur) return;
  header.heap_bytes = parts * bytes;
  header.program_heap_bytes = (parts - 1) * bytes;
}

lockfree::RankPlace rank_place(const machine::PlannedRank& rank) {
  return {rank.common.os,        static_cast<std::int32_t>(rank.cpus.size()),
          rank.common.numa_node, rank.common.package,
          rank.common.l2,        rank.common.l3,
          rank.common.core};
}

// Plans the nodes: either this is one of several nodes, or one machine pretends to be several, for
// tests of the code between nodes.
lockfree::WorldPlan world_plan(std::uint32_t ranks, const JobFeatures& features) {
  lockfree::WorldPlan plan;
  if (features.node_job.spans_nodes()) {
    // The first node tells the key later.
    plan.processes = static_cast<std::uint32_t>(features.node_job.all_ranks());
    plan.nodes = static_cast<std::uint32_t>(features.node_job.counts.size());
    return plan;
  }
  const auto each = static_cast<std::uint32_t>(features.ranks_per_node);
  if (each == 0 || each >= ranks) return plan;
  plan.nodes = (ranks + each - 1) / each;
  if (::getrandom(plan.key, sizeof plan.key, 0) != sizeof plan.key) plan.nodes = 1;
  return plan;
}

// Numbers a node's parts so that no two nodes of a job have equal numbers.
lockfree::RankPlace numbered_over_nodes(lockfree::RankPlace place, int node) {
  for (std::int32_t* number : {&place.numa_node, &place.package, &place.l2, &place.l3, &place.core})
    if (*number >= 0) *number += node * lockfree::numbers_of_node;
  place.node = node;
  return place;
}

// Enters all facts about processes that are known before ranks start: their nodes, and their places
// on this node.
void enter_processes(JobFile& file, const JobFeatures& features) {
  const NodeJob& job = features.node_job;
  const bool several = job.spans_nodes();
  std::uint32_t process = 0;
  auto enter = [&](std::uint32_t local_rank, const lockfree::RankPlace& place) {
    lockfree::ProcessEntry& entry = *lockfree::process_entry(file.header, process++);
    entry.local_rank = local_rank;
    entry.place = place;
  };
  for (std::uint32_t rank = 0; !several && rank < file.made.ranks; ++rank) {
    lockfree::RankPlace place = file.places[rank];
    place.node = static_cast<std::int32_t>(rank) / features.ranks_per_node;
    enter(rank, place);
  }
  for (int node = 0; node < static_cast<int>(job.counts.size()); ++node)
    for (int rank = 0; rank < job.counts[static_cast<std::size_t>(node)]; ++rank) {
      const auto local = static_cast<std::uint32_t>(rank);
      if (node == job.node)
        enter(local, numbered_over_nodes(file.places[local], node));
      else
        enter(lockfree::no_local_rank, {-1, 0, -1, -1, -1, -1, -1, node});
    }
}

void place_ranks(JobFile& file, const machine::Placement& placement, const JobFeatures& features) {
  file.first_rank = static_cast<std::uint32_t>(features.node_job.first_rank());
  for (const machine::PlannedRank& planned : placement.ranks)
    file.places.push_back(rank_place(planned));
  if (file.made.processes_offset) enter_processes(file, features);
  for (std::uint32_t rank = 0; rank < file.made.ranks; ++rank) {
    auto& row = file.row(static_cast<int>(rank)).launcher;
    row.process = file.first_rank + rank;
    row.place = file.places[rank];
    if (file.made.processes_offset)
      row.place.node = lockfree::process_entry(file.header, row.process)->place.node;
  }
}

}  // namespace

void JobFile::tell_death(int rank) const {
  // ORDER rank.died: release here, acquire in the library; all that the rank has written is there.
  row(rank).launcher.died.store(1, std::memory_order_release);
  // ORDER job.deaths: release here, acquire in the library; the rank's row says that it has died.
  std::atomic_ref(header->deaths).fetch_add(1, std::memory_order_release);
  for (std::uint32_t other = 0; other < made.ranks; ++other) {
    char* mailbox =
        reinterpret_cast<char*>(header) + made.mailboxes_offset + other * made.mailbox_bytes;
    auto& doorbell = *reinterpret_cast<lockfree::Doorbell<lockfree::Hardware>*>(mailbox);
    if (lockfree::end_sleep(doorbell)) platform::futex_wake(doorbell.wake.word);
  }
}

std::expected<JobFile, std::string> make_job_file(const machine::Placement& placement,
                                                  lockfree::RingPlan rings,
                                                  const JobFeatures& features) {
  lockfree::JobHeader header = lockfree::job_header(
      static_cast<std::uint32_t>(placement.ranks.size()),
      static_cast<std::uint32_t>(placement.cpus_usable), rings,
      world_plan(static_cast<std::uint32_t>(placement.ranks.size()), features));
  header.launcher_pid = ::getpid();
  // The ranks of several nodes agree on a number.
  if (features.node_job.counts.size() < 2) header.world.job = platform::random_job_number();
  header.continues = features.continues;
  header.explain = features.explain;
  header.held = features.held;
  if (auto checked = check_file_limit(header.file_bytes); !checked)
    return std::unexpected(checked.error());

  plan_heaps(header, features.export_heap);
  std::uint64_t end = header.heap_bytes ? header.heaps_offset + header.ranks * header.heap_bytes
                                        : header.file_bytes;
  if (features.timed) {
    header.timing = lockfree::timing_plan(header.world.processes, end, features.event_bytes);
    end = header.timing.offset + header.ranks * header.timing.bytes;
    if (auto checked = check_file_limit(end); !checked) return std::unexpected(checked.error());
  }

  JobFile file;
  // This descriptor is left open across exec on purpose: ranks inherit it.
  file.descriptor = platform::make_memory_file("baton-job", end);
  if (file.descriptor < 0) {
    const bool refused = errno == EPERM || errno == ENOSYS;
    return std::unexpected(failure("memfd_create") +
                           (refused ? "; permit it in the container's system call filter, or give "
                                      "it a /dev/shm"
                                    : ""));
  }
  void* head =
      ::mmap(nullptr, header.slices_offset, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0);
  if (head == MAP_FAILED) return std::unexpected(failure("mmap"));
  file.header = static_cast<lockfree::JobHeader*>(head);
  file.made = header;
  std::memcpy(head, &header, sizeof header);
  place_ranks(file, placement, features);
  return file;
}

}  // namespace baton::launch
