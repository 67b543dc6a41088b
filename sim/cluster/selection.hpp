// Which algorithm the library takes: its own code and rows, linked in. Rows that it gets later are
// followed without a change here.
#pragma once

#include <optional>
#include <string>

#include "collective/choose.hpp"
#include "sim/cluster/algorithms.hpp"

namespace baton::cluster {

struct Chosen {
  std::string algorithm;
  std::string reason;
};

// Of ranks that have a CPU each.
Chosen chosen_by_library(CollectiveKind kind, int ranks, int ranks_per_node, std::int64_t bytes);

// Why the library cannot take an algorithm on nodes of which the last has fewer ranks; empty: it
// can, or they are equal.
std::string unequal_nodes(const Known& known, int ranks, int ranks_per_node);

// The first size above `bytes` at which the library may take another one; none: there is none.
std::optional<std::int64_t> next_size(CollectiveKind kind, int ranks, int ranks_per_node,
                                      std::int64_t bytes);

// Throws std::runtime_error for another name.
CollectiveKind kind_of(const std::string& name);

}  // namespace baton::cluster
