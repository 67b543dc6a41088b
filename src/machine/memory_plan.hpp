// A memory plan says to which NUMA nodes a rank's memory goes for each word of
// base/numa_policy.hpp. This is pure: machine and the rank's home node in, nodes in the order in
// which they are tried and a reason out. The launcher hands the plan to the ranks; `--dry-run` and
// tests look at it.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/numa_policy.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"

namespace baton::machine {

struct PlannedMemory {
  std::vector<int> nodes;    // all that may be used, best first: the order of falling back
  std::size_t meant = 1;     // how many of them the word means; strict policies use only these
  bool in_turn = false;      // page by page over the meant ones, not one after another
  std::vector<int> weights;  // of the meant ones, where this system weighs them; else empty
  std::string reason;
};

// Returns the NUMA node on whose CPUs rank `number` runs, -1 where the machine tells of none. Where
// the CPUs belong to several nodes, ranks take these in turn.
int home_node(const Machine& machine, const PlannedRank& rank, int number);

// Plans the memory under `policy` of ranks whose home node is `home`. An error names the mistake: a
// node that does not exist, or a strict policy for memory that this machine does not have.
std::expected<PlannedMemory, std::string> plan_memory(const Machine& machine, int home,
                                                      const NumaPolicy& policy);

// Returns "node 2 (HBM)".
std::string node_text(const Machine& machine, int node);

}  // namespace baton::machine
