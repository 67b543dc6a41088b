#include "launch/reports/memory_report.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/memory_file.hpp"
#include "platform/node_memory.hpp"

namespace baton::launch {

namespace {

using platform::NodeBytes;

struct RankMemory {
  NodeBytes queues;
  lockfree::MemoryRecord record;
  int queues_error = 0;
};

// These are sums over the ranks; heap and rest only over ranks that came to their end.
struct Totals {
  NodeBytes queues, heap, rest;
  NodeBytes heap_peak;
  std::uint64_t heap_peak_total = 0;
};

NodeBytes heap_of(const lockfree::MemoryRecord& record) {
  NodeBytes heap;
  std::ranges::copy(record.heap_bytes, heap.on);
  heap.elsewhere = record.heap_elsewhere_bytes;
  return heap;
}

NodeBytes heap_peak_of(const lockfree::MemoryRecord& record) {
  NodeBytes peak;
  std::ranges::copy(record.heap_peak_bytes, peak.on);
  return peak;
}

NodeBytes rest_of(const lockfree::MemoryRecord& record) {
  NodeBytes rest;
  std::ranges::copy(record.rest_bytes, rest.on);
  rest.elsewhere = record.rest_elsewhere_bytes;
  return rest;
}

// Adds the pages of a part of the job's file; false with errno set.
bool count_pages(const JobFile& file, std::uint64_t offset, std::uint64_t bytes,
                 NodeBytes* counts) {
  void* part = platform::map_memory_file(file.descriptor, bytes, offset);
  if (!part) return false;
  const bool counted = platform::count_file_pages(file.descriptor, offset,
                                                  static_cast<const char*>(part), bytes, counts);
  const int cause = errno;
  platform::unmap_memory(part, bytes);
  errno = cause;
  return counted;
}

RankMemory look_at(const JobFile& file, std::uint32_t rank) {
  RankMemory memory{};
  std::uint64_t offset = lockfree::slice_offset(file.made, rank);
  lockfree::SliceLayout layout =
      lockfree::slice_layout(file.made.ranks, file.made.rings.deposit.ring_bytes);
  auto at = static_cast<off_t>(offset + layout.memory);
  if (::pread(file.descriptor, &memory.record, sizeof memory.record, at) !=
      static_cast<ssize_t>(sizeof memory.record))
    memory.record = {};
  if (!count_pages(file, offset, file.made.slice_bytes, &memory.queues) ||
      !count_pages(file, lockfree::mailbox_offset(file.made, rank), file.made.mailbox_bytes,
                   &memory.queues))
    memory.queues_error = errno;
  return memory;
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes == 0) return "-";
  if (bytes < (std::uint64_t{1} << 20)) return fmt::format("{} KiB", bytes >> 10);
  double mib = static_cast<double>(bytes) / (1 << 20);
  return mib < 10240 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

// Returns "now" and, where it differs, "(peak ...)".
std::string cell(std::uint64_t now, std::uint64_t peak) {
  std::string text = bytes_text(now);
  return peak > now ? text + " (" + bytes_text(peak) + ")" : text;
}

class Table {
 public:
  explicit Table(const machine::Machine& machine) : machine_(machine) {
    text_ = fmt::format("  {:>5}  {:<7}", "rank", "what");
    for (const machine::NumaNode& node : machine.memory)
      text_ += fmt::format("  {:>20}", machine::node_text(machine, node.os));
    text_ += fmt::format("  {:>20}\n", "all nodes");
  }
  void row(const std::string& rank, const char* what, const NodeBytes& now, const NodeBytes& peak,
           std::uint64_t peak_total) {
    text_ += fmt::format("  {:>5}  {:<7}", rank, what);
    for (const machine::NumaNode& node : machine_.memory)
      text_ +=
          fmt::format("  {:>20}", node.os < numa_nodes_max ? cell(now.on[node.os], peak.on[node.os])
                                                           : "not looked at");
    text_ += fmt::format("  {:>20}\n", cell(now.total(), peak_total));
  }
  const std::string& text() const { return text_; }

 private:
  const machine::Machine& machine_;
  std::string text_;
};

// Returns the sums by tier, if there are several tiers.
std::string tiers_text(const machine::Machine& machine, const Totals& totals) {
  std::string text;
  for (machine::Tier tier : {machine::Tier::hbm, machine::Tier::dram, machine::Tier::slow}) {
    std::uint64_t queues = 0, heap = 0, rest = 0;
    bool there = false;
    for (const machine::NumaNode& node : machine.memory) {
      if (node.tier != tier || node.os >= numa_nodes_max) continue;
      there = true;
      queues += totals.queues.on[node.os];
      heap += totals.heap.on[node.os];
      rest += totals.rest.on[node.os];
    }
    if (there)
      text += fmt::format("  {}: queues {}, heap {}, rest {}\n", machine::tier_name(tier),
                          bytes_text(queues), bytes_text(heap), bytes_text(rest));
  }
  return text;
}

// This is memory outside the nodes that a policy means: how many bytes, of how many.
struct Astray {
  std::uint64_t bytes = 0;
  std::uint64_t all = 0;
};

Astray astray_of(const NodeBytes& bytes, const machine::PlannedMemory& plan) {
  Astray astray{bytes.total(), bytes.total()};
  for (std::size_t i = 0; i < plan.meant; ++i)
    if (plan.nodes[i] < numa_nodes_max) astray.bytes -= bytes.on[plan.nodes[i]];
  return astray;
}

// Returns the policies that were not met, and by how much. "all" is not judged, since libraries and
// files that others have read before stay where they are.
std::string unmet_text(const std::vector<RankMemory>& ranks, const MemoryPlan& plan) {
  std::string text;
  for (const HomePlan& home : plan.homes)
    for (int rank : home.ranks) {
      const RankMemory& memory = ranks[static_cast<std::size_t>(rank)];
      const lockfree::MemoryRecord& record = memory.record;
      auto judge = [&](const char* what, const NumaPolicy& policy, const NodeBytes& bytes,
                       const machine::PlannedMemory& planned) {
        if (policy.word == MemoryWord::none) return;
        Astray astray = astray_of(bytes, planned);
        if (astray.bytes == 0) return;
        text += fmt::format("  rank {}, {}={}: {} of {} are not where they were meant\n",
                            plan.first_rank + rank, what, policy_text(policy).words,
                            bytes_text(astray.bytes), bytes_text(astray.all));
      };
      judge("queues", plan.policies.queues, memory.queues, home.queues);
      judge("heap", plan.policies.heap, heap_of(record), home.heap);
      if (record.published && record.short_bytes > 0)
        text += fmt::format(
            "  rank {}: {} of blocks came elsewhere than meant: node {} was full ({} left)\n",
            plan.first_rank + rank, bytes_text(record.short_bytes), record.short_node,
            record.short_free_bytes ? bytes_text(record.short_free_bytes) : "nothing");
    }
  return text;
}

std::string unseen_text(const std::vector<RankMemory>& ranks, int first_rank) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankMemory& memory = ranks[i];
    const int rank = first_rank + static_cast<int>(i);
    int error = memory.queues_error ? memory.queues_error : memory.record.blocks_error;
    if (error)
      text += fmt::format(
          "  rank {}: the kernel does not tell where pages lie: {}; in a container start it with "
          "--cap-add SYS_NICE, or a seccomp profile that allows move_pages\n",
          rank, std::strerror(error));
    if (memory.record.rest_error)
      text += fmt::format("  rank {}: the rest is not known: /proc/self/numa_maps: {}\n", rank,
                          std::strerror(memory.record.rest_error));
    if (!memory.record.published)
      text += fmt::format(
          "  rank {}: heap and rest are not known: it did not come to MPI_Finalize\n", rank);
  }
  return text;
}

// Returns what ranks have on devices, where some have loaded a driver.
std::string devices_text(const std::vector<RankMemory>& ranks, int first_rank) {
  std::string told;
  std::vector<int> unknown;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const lockfree::MemoryRecord& record = ranks[i].record;
    const int rank = first_rank + static_cast<int>(i);
    if (record.uses_device && !record.device_is_told) unknown.push_back(rank);
    if (record.device_is_told)
      told += fmt::format("{}rank {} {}", told.empty() ? "" : ", ", rank,
                          bytes_text(record.device_bytes));
  }
  std::string text;
  if (!told.empty())
    text += "  device memory at MPI_Finalize, contexts included (NVML): " + told + '\n';
  if (!unknown.empty())
    text += fmt::format(
        "  rank {}: device memory is not known: libnvidia-ml.so.1 is missing, or has other process "
        "numbers, as in containers without --pid=host\n",
        machine::cpu_list(unknown));
  return text;
}

// Returns the memory that is reserved and has never been touched: the kernel counts it, and does
// not tell its node.
std::string reserved_text(const JobFile& file, std::uint64_t seen) {
  struct stat facts {};
  if (::fstat(file.descriptor, &facts) != 0) return {};
  std::uint64_t all = static_cast<std::uint64_t>(facts.st_blocks) * 512;
  std::uint64_t untouched = all > seen ? all - seen : 0;
  return fmt::format(
      "  also in the job's memory file: {} that belongs to no rank or is only reserved\n",
      bytes_text(untouched));
}

}  // namespace

std::string memory_report(const JobFile& file, const machine::Machine& machine,
                          const MemoryPlan& plan) {
  std::vector<RankMemory> ranks;
  for (std::uint32_t rank = 0; rank < file.made.ranks; ++rank) ranks.push_back(look_at(file, rank));
  Table table(machine);
  Totals totals;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankMemory& memory = ranks[rank];
    std::string name = std::to_string(plan.first_rank + static_cast<int>(rank));
    NodeBytes heap = heap_of(memory.record), rest = rest_of(memory.record);
    NodeBytes heap_peak = heap_peak_of(memory.record);
    table.row(name, "queues", memory.queues, memory.queues, memory.queues.total());
    table.row(name, "heap", heap, heap_peak, memory.record.heap_peak_total_bytes);
    table.row(name, "rest", rest, rest, rest.total());
    totals.queues.add(memory.queues);
    totals.heap.add(heap);
    totals.rest.add(rest);
    totals.heap_peak.add(heap_peak);
    totals.heap_peak_total += memory.record.heap_peak_total_bytes;
  }
  table.row("all", "queues", totals.queues, totals.queues, totals.queues.total());
  table.row("all", "heap", totals.heap, totals.heap_peak, totals.heap_peak_total);
  table.row("all", "rest", totals.rest, totals.rest, totals.rest.total());
  std::uint64_t process_peak = 0;
  for (const RankMemory& memory : ranks)
    process_peak = std::max(process_peak, memory.record.process_peak_bytes);
  std::string text =
      "mpiexec: memory by node, from the kernel's page locations: now (maximum)\n  queues: touched "
      "pages of the slices when the job ended; they only grow, so that is the maximum\n  heap: "
      "blocks of MPI_Alloc_mem at MPI_Finalize, and the maximum over all allocations\n  rest: all "
      "else that the process had mapped at MPI_Finalize\n";
  text += table.text() + tiers_text(machine, totals);
  if (process_peak)
    text += fmt::format("  the largest process had {} resident at its maximum, on all nodes\n",
                        bytes_text(process_peak));
  text += devices_text(ranks, plan.first_rank);
  text += reserved_text(file, totals.queues.total() + totals.heap.total());
  std::string unmet = unmet_text(ranks, plan);
  if (plan.policies.asks() && unmet.empty())
    unmet = "  every page of queues and heap is where it was meant\n";
  text += unmet + unseen_text(ranks, plan.first_rank);
  for (const std::string& note : plan.notes) text += "  " + note + '\n';
  return text;
}

}  // namespace baton::launch
