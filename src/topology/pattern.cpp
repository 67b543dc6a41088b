#include "topology/pattern.hpp"

namespace baton::topology {

bool Pattern::build(int ranks, const Edge* edges, std::int64_t count) {
  ranks_ = ranks;
  begins_ = make_array<std::int64_t>(std::int64_t{ranks} + 1);
  if (!begins_) return false;
  auto counts = [&](const Edge& edge) { return edge.from != edge.to; };
  for (std::int64_t i = 0; i < count; ++i) {
    if (!counts(edges[i])) continue;
    ++begins_[edges[i].from + 1];
    ++begins_[edges[i].to + 1];
  }
  for (int rank = 0; rank < ranks; ++rank) begins_[rank + 1] += begins_[rank];
  neighbors_ = make_array<std::int32_t>(begins_[ranks]);
  weights_ = make_array<std::int32_t>(begins_[ranks]);
  Array<std::int64_t> next = make_array<std::int64_t>(ranks);
  if (!neighbors_ || !weights_ || !next) return false;
  for (int rank = 0; rank < ranks; ++rank) next[rank] = begins_[rank];
  auto add = [&](int rank, int neighbor, int weight) {
    std::int64_t place = next[rank]++;
    neighbors_[place] = neighbor;
    weights_[place] = weight;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const Edge& edge = edges[i];
    if (!counts(edge)) continue;
    add(edge.from, edge.to, edge.weight);
    add(edge.to, edge.from, edge.weight);
  }
  return true;
}

bool Pattern::build(const Grid& grid) {
  std::int64_t ranks = position_count(grid.dimensions, grid.extents);
  Array<Edge> edges = make_array<Edge>(ranks * grid.dimensions);
  Array<int> coordinates = make_array<int>(grid.dimensions);
  if (!edges || !coordinates) return false;
  std::int64_t count = 0;
  Grid here = grid;
  here.coordinates = coordinates.get();
  for (int rank = 0; rank < ranks; ++rank) {
    find_coordinates(grid.dimensions, grid.extents, rank, coordinates.get());
    for (int i = 0; i < grid.dimensions; ++i) {
      int up = neighbor_along(here, i, 1);
      if (up != MPI_PROC_NULL) edges[count++] = {rank, up, 1};
    }
  }
  return build(static_cast<int>(ranks), edges.get(), count);
}

std::int64_t hop_weight(const Pattern& pattern, const PlaceTree& tree, const std::int32_t* slots) {
  std::int64_t sum = 0;
  for (int rank = 0; rank < pattern.ranks(); ++rank)
    for (std::int64_t i = pattern.begin(rank); i < pattern.end(rank); ++i)
      if (pattern.neighbor(i) > rank)
        sum += pattern.weight(i) * tree.hops(slots[rank], slots[pattern.neighbor(i)]);
  return sum;
}

}  // namespace baton::topology
