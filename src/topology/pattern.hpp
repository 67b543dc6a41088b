// A pattern says how much ranks communicate with each other: it is an undirected graph with
// weights, of the ranks that a topology will have. It is pure; it is made from grids and graphs,
// and read by `bisect` and `reorder`.
// Invariant: every edge is in the lists of both its ends; several edges between two ranks may stand
// side by side; no edge leads from a rank to itself.
#pragma once

#include <cstdint>

#include "topology/array.hpp"
#include "topology/grid.hpp"
#include "topology/place_tree.hpp"

namespace baton::topology {

struct Edge {
  std::int32_t from;
  std::int32_t to;
  std::int32_t weight;
};

class Pattern {
 public:
  // Builds the pattern of a graph. False when memory is short.
  bool build(int ranks, const Edge* edges, std::int64_t count);
  // Builds the pattern of the nearest neighbors in a grid.
  bool build(const Grid& grid);

  int ranks() const { return ranks_; }
  std::int64_t begin(int rank) const { return begins_[rank]; }
  std::int64_t end(int rank) const { return begins_[rank + 1]; }
  std::int32_t neighbor(std::int64_t place) const { return neighbors_[place]; }
  std::int64_t weight(std::int64_t place) const { return weights_[place]; }

 private:
  int ranks_ = 0;
  Array<std::int64_t> begins_;
  Array<std::int32_t> neighbors_;
  Array<std::int32_t> weights_;
};

// Returns the sum over all edges of weight times hops (hop-bytes); `slots[rank]` is each rank's
// slot.
std::int64_t hop_weight(const Pattern& pattern, const PlaceTree& tree, const std::int32_t* slots);

}  // namespace baton::topology
