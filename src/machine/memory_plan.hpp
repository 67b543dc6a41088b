// On which NUMA nodes a rank's memory goes for each word of base/numa_policy.hpp. Pure: machine
// and where the rank's CPUs are in, nodes in the order in which they are tried and a reason out.
// The launcher hands it to the ranks; `--dry-run` and tests look at it.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/numa_policy.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"

namespace baton::machine {

struct PlannedMemory {
  std::vector<int> nodes;    // all that may be used, best first: what falls back goes down the list
  std::size_t meant = 1;     // so many of them are what the word means: strictly these only
  bool in_turn = false;      // page by page over the meant ones, not one after another
  std::vector<int> weights;  // of the meant ones, where this system weighs them; else empty
  std::string reason;
};

// The NUMA node whose CPUs rank `number` runs on, -1 where the machine tells of none. Where they
// belong to several, ranks take these in turn.
int home_node(const Machine& machine, const PlannedRank& rank, int number);

// What `policy` means for ranks at home there. An error names the mistake: a node that is not
// there, or strictly something that this machine has not.
std::expected<PlannedMemory, std::string> plan_memory(const Machine& machine, int home,
                                                      const NumaPolicy& policy);

// "node 2 (HBM)".
std::string node_text(const Machine& machine, int node);

}  // namespace baton::machine
