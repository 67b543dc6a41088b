// This is the virtual topology of a communicator as plain data (MPI 5.0, chapter "Virtual
// Topologies for MPI Processes"). topology/ makes it; inquiries and neighborhoods read it. It is
// immutable once its communicator exists; duplicates share it by reference counting.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/error.hpp"

namespace baton::world {

enum class TopologyKind : std::uint8_t { cartesian, graph, distributed_graph };

// This is one of a distributed graph's two lists: the neighbors, and their weights (null: it has
// none).
struct Neighbors {
  int count = 0;
  int* ranks = nullptr;
  int* weights = nullptr;
};

struct Topology {
  TopologyKind kind = TopologyKind::cartesian;
  std::atomic<std::int32_t> references{1};
  // This is a Cartesian topology. `coordinates` are this process's own; ranks count in row-major
  // order.
  struct Grid {
    int dimensions = 0;
    int* extents = nullptr;
    int* periods = nullptr;  // 1: the dimension is periodic
    int* coordinates = nullptr;
  } grid;
  // This is a graph: the neighbors of rank r are edges[index[r - 1]] up to edges[index[r] - 1].
  struct Graph {
    int nodes = 0;
    int* index = nullptr;
    int* edges = nullptr;

    int first(int rank) const { return rank ? index[rank - 1] : 0; }
    int edge_count() const { return first(nodes); }
  } graph;
  // This is a distributed graph: this process's own neighbors.
  struct Local {
    bool weighted = false;
    Neighbors in;
    Neighbors out;
  } local;
};

// These make a topology with space for the arrays, to be filled in. Null when memory is short.
Topology* new_grid(int dimensions);
Topology* new_graph(int nodes, int edges);
Topology* new_distributed_graph(int in, int out, bool weighted);

inline void retain(Topology& topology) {
  // relaxed: the caller already holds a reference.
  topology.references.fetch_add(1, std::memory_order_relaxed);
}
void release(Topology& topology);

}  // namespace baton::world

namespace baton {
using world::Topology;
}
