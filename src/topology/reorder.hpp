// This decides which process gets which rank of a new topology, so that ranks that communicate are
// near each other on the machine. It is a pure function of the pattern and the places. The
// procedures that take `reorder` call it, and MPI_Cart_map and MPI_Graph_map.
// docs/decisions/reordering.md says how and why. Invariant: hop weight never grows; where it would
// not shrink, every process keeps its rank.
#pragma once

#include <cstdint>

#include "topology/grid.hpp"
#include "topology/pattern.hpp"
#include "topology/place_tree.hpp"

namespace baton::topology {

struct Mapping {
  Array<std::int32_t> rank_of;  // by process: its new rank. Null: every process keeps its rank
  const char* reason = "";
  std::int64_t before = 0;  // hop weight with the present numbering
  std::int64_t after = 0;

  int operator()(int process) const { return rank_of ? rank_of[process] : process; }
};

// The topology has as many processes as ranks. A mapping that lacks memory says so as its reason.
Mapping map_grid(const Grid& grid, const PlaceTree& tree);
Mapping map_graph(const Pattern& pattern, const PlaceTree& tree);

}  // namespace baton::topology
