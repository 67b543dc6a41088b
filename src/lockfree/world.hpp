// This part of the job's memory layout (job.hpp) tells each rank where the ranks are, and, in a job
// of several nodes, the processes of all nodes.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::lockfree {

// This says where the launcher put a rank; a member is -1 where it is unknown or not a single one.
// Numbers of packages, NUMA nodes, caches and cores count over all nodes of a job, so that equal
// numbers are one object: on node n they are the machine's own plus n * numbers_of_node. (On one
// machine taken for several nodes they are the machine's.)
inline constexpr std::int32_t numbers_of_node = 1 << 16;
struct RankPlace {
  std::int32_t cpu;        // first CPU the rank may run on
  std::int32_t cpu_count;  // how many it may run on
  std::int32_t numa_node;
  std::int32_t package;
  std::int32_t l2;
  std::int32_t l3;
  std::int32_t core;
  std::int32_t node = 0;  // index of the node in the job
};

// This describes the job as a whole, where it has more nodes than this arena's, or pretends to.
struct WorldPlan {
  std::uint32_t processes = 0;  // of the job; 0: the arena's ranks are all
  std::uint32_t nodes = 1;
  std::uint64_t key[2] = {};  // key by which its processes recognize each other over a network
  std::uint32_t job = 0;      // its number, which differs from those of all jobs that it meets
};

// This is a process of a job of several nodes, indexed by its rank in the job: where it is, and,
// once it is ready, its network address (transport/network/). The maker of the arena writes it; a
// process in this arena writes its network address itself.
struct alignas(cache_line_bytes) ProcessEntry {
  std::atomic<std::uint32_t> ready;
  std::uint32_t local_rank;  // in this arena; no_local_rank: it is on another node
  RankPlace place;
  char network_address[320];
  std::atomic<std::uint32_t> lost;  // a rank of this arena has found it lost
  std::atomic<std::uint32_t> died;  // a foreign launcher has told of its death
};
static_assert(sizeof(ProcessEntry) == 384);
inline constexpr std::uint32_t no_local_rank = 0xffffffff;

}  // namespace baton::lockfree
