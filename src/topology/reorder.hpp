// Which process gets which rank of a new topology, so that ranks that talk are near each other on
// the machine: pure functions of the pattern and the places. Called by the procedures that take
// `reorder` and by MPI_Cart_map and MPI_Graph_map. docs/decisions/reordering.md says how and why.
// Invariant: hop weight never grows; where it would not shrink, everybody keeps the rank it has.
#pragma once

#include <cstdint>

#include "topology/grid.hpp"
#include "topology/pattern.hpp"
#include "topology/place_tree.hpp"

namespace baton::topology {

struct Mapping {
  Array<std::int32_t> rank_of;  // by process: its new rank. Null: everybody keeps the rank it has
  const char* reason = "";
  std::int64_t before = 0;  // hop weight, as ranks are numbered now
  std::int64_t after = 0;

  int operator()(int process) const { return rank_of ? rank_of[process] : process; }
};

// As many processes as ranks. Memory that is short is a reason, too.
Mapping map_grid(const Grid& grid, const PlaceTree& tree);
Mapping map_graph(const Pattern& pattern, const PlaceTree& tree);

}  // namespace baton::topology
