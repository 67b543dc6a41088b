// These are parts of the arena (lockfree/job.hpp): a row about memory that the launcher writes for
// a rank before it forks, and a record that the rank leaves for `mpiexec --memory-report`.
// Invariant: both are plain data; nodes are the kernel's numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/cache_line.hpp"
#include "base/numa_policy.hpp"

namespace baton::lockfree {

// This says on which nodes a policy's word places a rank's memory.
struct MemoryOrder {
  std::uint8_t count = 0;   // 0: the launcher did not say
  std::uint8_t meant = 0;   // how many of the nodes the word means; strict policies use only these
  std::uint8_t weighs = 0;  // the kernel interleaves by weights that differ
  std::uint8_t nodes[32] = {};  // in the order in which they are tried; more are cut off
};

struct alignas(cache_line_bytes) MemoryRow {
  NumaPolicy queues;  // policy asked for the rank's slice; the launcher has bound it
  NumaPolicy heap;    // policy asked for its blocks of MPI_Alloc_mem that do not ask themselves
  std::uint64_t nodes_allowed = 0;  // a bit for each node
  MemoryOrder queue_order;          // nodes for the slice, whichever word was asked
  MemoryOrder orders[std::size(ordered_words)];
};
static_assert(sizeof(MemoryRow) <= 320);

// This records the memory of the exported heap and of other placed blocks.
struct MemoryRecord {
  std::uint32_t published = 0;    // 1: the rank came to its end and recorded the members below
  std::int32_t blocks_error = 0;  // errno, where the kernel did not tell on which nodes pages lie
  std::int32_t rest_error = 0;
  std::int32_t short_node = -1;        // the first node that had no space for all of a block
  std::uint64_t short_free_bytes = 0;  // free memory of that node
  std::uint64_t short_bytes = 0;       // bytes of all blocks that went to later nodes therefore
  std::uint64_t heap_bytes[numa_nodes_max] = {};
  std::uint64_t heap_elsewhere_bytes = 0;
  std::uint64_t heap_peak_bytes[numa_nodes_max] = {};  // the peak of each node by itself
  std::uint64_t heap_peak_total_bytes = 0;
  std::uint64_t rest_bytes[numa_nodes_max] = {};
  std::uint64_t rest_elsewhere_bytes = 0;
  std::uint64_t process_peak_bytes = 0;  // resident memory
  std::uint32_t uses_device = 0;         // 1: it has loaded a device's driver
  std::uint32_t device_is_told = 0;      // 1: and `device_bytes` is what it has there
  std::uint64_t device_bytes = 0;
};

}  // namespace baton::lockfree
