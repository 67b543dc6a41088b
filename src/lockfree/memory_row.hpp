// What a rank is told about memory, and what it tells: a row that the launcher writes before it
// forks, and a record that the rank leaves for `mpiexec --memory-report`. Parts of the arena
// (lockfree/job.hpp). Invariant: plain data; nodes are the kernel's numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/cache_line.hpp"
#include "base/numa_policy.hpp"

namespace baton::lockfree {

// Where a word leads a rank.
struct MemoryOrder {
  std::uint8_t count = 0;       // 0: the launcher did not say
  std::uint8_t meant = 0;       // so many of them are what the word means: strictly these only
  std::uint8_t weighs = 0;      // the kernel interleaves by weights that differ
  std::uint8_t nodes[32] = {};  // in the order in which they are tried; more are cut off
};

struct alignas(cache_line_bytes) MemoryRow {
  NumaPolicy queues;  // asked of the rank's slice; the launcher has bound it
  NumaPolicy heap;    // asked of its blocks of MPI_Alloc_mem that do not ask themselves
  std::uint64_t nodes_allowed = 0;  // bits
  MemoryOrder queue_order;          // of the slice, whichever word was asked
  MemoryOrder orders[std::size(ordered_words)];
};
static_assert(sizeof(MemoryRow) <= 320);

// Of the exported heap and other placed blocks.
struct MemoryRecord {
  std::uint32_t published = 0;    // 1: the rank came to its end and saw there what follows
  std::int32_t blocks_error = 0;  // errno, where the kernel did not tell where pages lie
  std::int32_t rest_error = 0;
  std::int32_t short_node = -1;        // the first that had no room for all of a block
  std::uint64_t short_free_bytes = 0;  // what it had
  std::uint64_t short_bytes = 0;       // of all blocks: what went to later nodes for that
  std::uint64_t heap_bytes[numa_nodes_max] = {};
  std::uint64_t heap_elsewhere_bytes = 0;
  std::uint64_t heap_peak_bytes[numa_nodes_max] = {};  // each for itself
  std::uint64_t heap_peak_total_bytes = 0;
  std::uint64_t rest_bytes[numa_nodes_max] = {};
  std::uint64_t rest_elsewhere_bytes = 0;
  std::uint64_t process_peak_bytes = 0;  // resident
};

}  // namespace baton::lockfree
