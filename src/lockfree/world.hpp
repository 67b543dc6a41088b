// The job as its memory tells it to each rank: where ranks are, and, in a job of several nodes, the
// processes of all. Part of the job's layout (job.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::lockfree {

// Where the launcher put a rank: -1 where unknown or not one. Numbers of packages, NUMA nodes,
// caches and cores count over all nodes of a job, so that equal ones are one object: on node n they
// are the machine's own and n * numbers_of_node. (On one machine taken for several: the machine's.)
inline constexpr std::int32_t numbers_of_node = 1 << 16;
struct RankPlace {
  std::int32_t cpu;        // first CPU the rank may run on
  std::int32_t cpu_count;  // how many it may run on
  std::int32_t numa_node;
  std::int32_t package;
  std::int32_t l2;
  std::int32_t l3;
  std::int32_t core;
  std::int32_t node = 0;  // of the job's nodes
};

// The job as a whole, where it is more than what one arena holds, or is to be taken so.
struct WorldPlan {
  std::uint32_t processes = 0;  // of the job; 0: as many as the arena has ranks
  std::uint32_t nodes = 1;
  std::uint64_t key[2] = {};  // by which its processes know each other over a network
};

// A process of a job of several nodes, by its rank in the job: where it is, and, once it is ready,
// the card with which it introduces itself (transport/network/). Written by who makes the arena,
// the card by the process itself where that is in this arena.
struct alignas(cache_line_bytes) ProcessEntry {
  std::atomic<std::uint32_t> ready;
  std::uint32_t local_rank;  // in this arena; no_local_rank: it is on another node
  RankPlace place;
  char card[320];
};
static_assert(sizeof(ProcessEntry) == 384);
inline constexpr std::uint32_t no_local_rank = 0xffffffff;

}  // namespace baton::lockfree
