#include "collective/neighborhood.hpp"

namespace baton::collective {

using world::TopologyKind;

int Neighborhood::in_count() const {
  switch (topology_.kind) {
    case TopologyKind::cartesian:
      return 2 * topology_.grid.dimensions;
    case TopologyKind::graph:
      return topology_.graph.first(rank_ + 1) - topology_.graph.first(rank_);
    default:
      return topology_.local.in.count;
  }
}

int Neighborhood::out_count() const {
  return topology_.kind == TopologyKind::distributed_graph ? topology_.local.out.count : in_count();
}

// Returns a neighbor in a grid: for each dimension first the one before us, then the one behind us
// (MPI 5.0, "Neighborhood Collective Communication on Process Topologies").
int Neighborhood::grid_neighbor(int place) const {
  const auto& grid = topology_.grid;
  const int dimension = place / 2;
  const int extent = grid.extents[dimension];
  const int from = grid.coordinates[dimension];
  int to = from + (place % 2 ? 1 : -1);
  if (to < 0 || to >= extent) {
    if (!grid.periods[dimension]) return MPI_PROC_NULL;
    to = (to + extent) % extent;
  }
  int step = 1;
  for (int d = dimension + 1; d < grid.dimensions; ++d) step *= grid.extents[d];
  return rank_ + (to - from) * step;
}

int Neighborhood::in(int place) const {
  switch (topology_.kind) {
    case TopologyKind::cartesian:
      return grid_neighbor(place);
    case TopologyKind::graph:
      return topology_.graph.edges[topology_.graph.first(rank_) + place];
    default:
      return topology_.local.in.ranks[place];
  }
}

int Neighborhood::out(int place) const {
  return topology_.kind == TopologyKind::distributed_graph ? topology_.local.out.ranks[place]
                                                           : in(place);
}

int Neighborhood::receive_order(int i) const {
  return topology_.kind == TopologyKind::cartesian ? i ^ 1 : i;
}

}  // namespace baton::collective
