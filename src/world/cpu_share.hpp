// Computes a node's share of the CPUs on which its ranks may run. Nodes that are containers of one
// machine have the same CPUs, and ranks that believe to be alone there would wait without yielding.
// The function is pure.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>

namespace baton::world {

// These are the properties of a rank that count. `machine` is equal for ranks of one machine.
struct CpuUser {
  std::uint32_t node;
  std::uint64_t machine;
  const cpu_set_t* cpus;  // the CPUs on which it may run
};

// Returns a number of CPUs, at least 1. `user_of(rank)` gives each of the job's ranks.
template <class UserOf>
std::uint32_t share_of_cpus(std::uint32_t ranks, std::uint32_t self, UserOf&& user_of) {
  const CpuUser own = user_of(self);
  cpu_set_t cpus, common;
  CPU_ZERO(&cpus);
  std::uint32_t here = 0, sharing = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (const CpuUser user = user_of(rank); user.node == own.node) {
      CPU_OR(&cpus, &cpus, user.cpus);
      ++here;
    }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const CpuUser user = user_of(rank);
    CPU_AND(&common, &cpus, user.cpus);
    if (user.machine == own.machine && CPU_COUNT(&common) > 0) ++sharing;
  }
  if (sharing == 0) return 1;
  return std::max(static_cast<std::uint32_t>(CPU_COUNT(&cpus)) * here / sharing, 1u);
}

}  // namespace baton::world
