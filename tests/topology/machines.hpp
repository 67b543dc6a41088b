// Machines by hwloc's descriptions, and ranks that mpiexec would place there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <expected>
#include <string>
#include <vector>

#include "lockfree/job.hpp"
#include "machine/discover.hpp"
#include "machine/placement.hpp"

namespace baton::test {

// Two sockets, four NUMA nodes each, four L3 caches each, four cores each: 128 cores.
inline constexpr char two_sockets_many_l3[] = "pack:2 numa:4 l3:4 l2:4 core:1 pu:2";
// Two sockets, two NUMA nodes each, one L3 cache each, 24 cores each: 96 cores.
inline constexpr char two_sockets_few_l3[] = "pack:2 numa:2 l3:1 l2:24 core:1 pu:2";
// One socket and NUMA node, eight L3 caches of eight cores.
inline constexpr char one_node_many_l3[] = "pack:1 numa:1 l3:8 l2:8 core:1 pu:1";
inline constexpr char four_cores[] = "pack:1 numa:1 l3:1 l2:4 core:1 pu:1";

// As the launcher writes them on the status board.
inline std::vector<lockfree::RankPlace> places_on(
    const std::expected<machine::Machine, std::string>& machine,
    const machine::PlacementPolicy& policy) {
  EXPECT_TRUE(machine.has_value()) << (machine ? "" : machine.error());
  if (!machine) return {};
  auto placement = machine::place(*machine, policy);
  EXPECT_TRUE(placement.has_value()) << (placement ? "" : placement.error());
  std::vector<lockfree::RankPlace> places;
  if (!placement) return places;
  for (const machine::PlannedRank& rank : placement->ranks)
    places.push_back({rank.common.os, static_cast<std::int32_t>(rank.cpus.size()),
                      rank.common.numa_node, rank.common.package, rank.common.l2, rank.common.l3,
                      rank.common.core});
  return places;
}

// The same on one of hwloc's synthetic machines.
inline std::vector<lockfree::RankPlace> places_on(const char* description,
                                                  const machine::PlacementPolicy& policy) {
  ::setenv("HWLOC_SYNTHETIC", description, 1);
  auto machine = machine::read_machine();
  ::unsetenv("HWLOC_SYNTHETIC");
  if (machine) machine->quota_cpus = 0;  // of the machine that the test runs on
  return places_on(machine, policy);
}

}  // namespace baton::test
