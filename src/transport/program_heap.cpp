#include "transport/program_heap.hpp"

#include <algorithm>
#include <utility>

#include "base/cache_line.hpp"
#include "base/numa_policy.hpp"
#include "base/report.hpp"
#include "platform/program_heap.hpp"
#include "transport/arena.hpp"
#include "transport/heap.hpp"
#include "transport/placing.hpp"

namespace baton::transport {

namespace {

platform::ProgramHeap heap{};
NumaPolicy wanted;

Error place_part(char* address, char* end, bool* reserved) {
  if (address >= end) return MPI_SUCCESS;
  auto in_file = heap.offset + static_cast<std::uint64_t>(address - heap.address);
  auto bytes = static_cast<std::uint64_t>(end - address);
  return place_and_reserve({address, bytes, heap.file(), in_file}, wanted, reserved);
}

// Gives the block memory. Whole huge pages are placed by themselves, since only these can be huge.
// The heap begins with one.
bool place(char* address, std::uint64_t bytes) {
  // A longer block may be little used, so it gets no memory at once if it need not lie anywhere.
  constexpr std::uint64_t reserved_bytes_max = std::uint64_t{1} << 30;  // guess
  if (wanted.word == MemoryWord::none && bytes > reserved_bytes_max) return true;
  char* end = address + bytes;
  auto begins = static_cast<std::uint64_t>(address - heap.address);
  char* whole = std::min(heap.address + round_up(begins, huge_page_bytes), end);
  char* rest = std::max(heap.address + (begins + bytes) / huge_page_bytes * huge_page_bytes, whole);
  for (auto [from, to] :
       {std::pair(address, whole), std::pair(whole, rest), std::pair(rest, end)}) {
    bool reserved = true;
    if (place_part(from, to, &reserved) || !reserved) return false;
  }
  return true;
}

}  // namespace

void export_program_heap() {
  std::uint64_t bytes = job_arena.job->program_heap_bytes;
  if (bytes == 0) return;
  const char* problem = "it was started without LD_PRELOAD as mpiexec set it";
  if (baton_export_program_heap) {
    if (const NumaPolicy* usual = heap_policy()) wanted = *usual;
    wanted.huge = wanted.huge || job_arena.job->program_heap_huge;
    heap = {nullptr, bytes, job_file, 0, wanted.asks() ? place : nullptr};
    heap.address = map_program_heap(&heap.offset);
    problem = heap.address ? baton_export_program_heap(&heap)
                           : "its part of the job's memory cannot be mapped";
  }
  if (problem)
    report("--export-heap: rank %u exports no memory of its malloc: %s", job_arena.own, problem);
}

bool count_program_heap(platform::NodeBytes* counts) {
  if (!heap.address || !baton_program_heap_used) return true;
  return platform::count_file_pages(heap.file(), heap.offset, heap.address,
                                    baton_program_heap_used(), counts);
}

}  // namespace baton::transport
