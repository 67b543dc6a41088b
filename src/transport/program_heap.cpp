#include "transport/program_heap.hpp"

#include <algorithm>
#include <utility>

#include "base/cache_line.hpp"
#include "base/report.hpp"
#include "transport/heap.hpp"
#include "transport/placing.hpp"

namespace baton::transport {

constinit ProgramHeap program_heap;

// Gives the block memory. Whole huge pages are placed by themselves, since only these can be huge.
// The heap begins with one.
bool ProgramHeap::place(char* address, std::uint64_t bytes) {
  // A longer block may be little used, so it gets no memory at once if it need not lie anywhere.
  constexpr std::uint64_t reserved_bytes_max = std::uint64_t{1} << 30;  // guess
  if (policy_.word == MemoryWord::none && bytes > reserved_bytes_max) return true;
  char* end = address + bytes;
  auto begins = static_cast<std::uint64_t>(address - part_.address);
  char* whole = std::min(part_.address + round_up(begins, huge_page_bytes), end);
  char* rest =
      std::max(part_.address + (begins + bytes) / huge_page_bytes * huge_page_bytes, whole);
  for (auto [from, to] :
       {std::pair(address, whole), std::pair(whole, rest), std::pair(rest, end)}) {
    if (from >= to) continue;
    const auto in_file = part_.offset + static_cast<std::uint64_t>(from - part_.address);
    const auto part_bytes = static_cast<std::uint64_t>(to - from);
    bool reserved = false;
    if (placing.reserve({from, part_bytes, part_.file(), in_file}, policy_, &reserved) || !reserved)
      return false;
  }
  return true;
}

void ProgramHeap::export_it() {
  std::uint64_t bytes = job_arena.job->program_heap_bytes;
  if (bytes == 0) return;
  const char* problem = "it was started without LD_PRELOAD as mpiexec set it";
  if (baton_export_program_heap) {
    if (const NumaPolicy* usual = heap_policy()) policy_ = *usual;
    policy_.huge = policy_.huge || job_arena.job->program_heap_huge;
    constexpr auto place = [](char* address, std::uint64_t block_bytes) {
      return program_heap.place(address, block_bytes);
    };
    part_ = {nullptr, bytes, job_file, 0, policy_.asks() ? +place : nullptr};
    part_.address = exported_heap.map_program_part(&part_.offset);
    problem = part_.address ? baton_export_program_heap(&part_)
                            : "its part of the job's memory cannot be mapped";
  }
  if (problem)
    report("--export-heap: rank %u exports no memory of its malloc: %s", job_arena.own, problem);
}

bool ProgramHeap::count(platform::NodeBytes* counts) const {
  if (!part_.address || !baton_program_heap_used) return true;
  return platform::count_file_pages(part_.file(), part_.offset, part_.address,
                                    baton_program_heap_used(), counts);
}

}  // namespace baton::transport
