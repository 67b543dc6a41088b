// Which links a transfer holds on a bus, a ring or a mesh. Pure; called by Fabric.
// A bus is one link that every transfer holds. Elsewhere a transfer holds the sender's output port,
// the links between and the receiver's input port; neighbors are joined by a link for each
// direction.
#pragma once

#include <vector>

#include "sim/bus/case.hpp"

namespace baton::bus {

struct Route {
  std::vector<int> links;
  int hops = 0;  // links between nodes
};

/// The mesh that `nodes` are laid on, row by row: the columns of the squarest full grid.
int mesh_columns(int nodes);

/// How many links there are, numbered from 0.
int link_count(Topology topology, int nodes);

/// Ring: the shorter direction, upward when both are alike. Mesh: along the row, then along the
/// column.
Route route(Topology topology, int nodes, int from, int to);

}  // namespace baton::bus
