#include "world/topology.hpp"

#include <cstdlib>
#include <new>

namespace baton::world {

namespace {

// Makes a topology and, behind it in the same memory, `count` numbers for its arrays.
Topology* new_topology(TopologyKind kind, std::int64_t count, int** numbers) {
  void* memory = std::malloc(sizeof(Topology) + static_cast<std::size_t>(count) * sizeof(int));
  if (!memory) return nullptr;
  auto* topology = new (memory) Topology;
  topology->kind = kind;
  *numbers = reinterpret_cast<int*>(topology + 1);
  return topology;
}

}  // namespace

Topology* new_grid(int dimensions) {
  int* numbers = nullptr;
  Topology* topology =
      new_topology(TopologyKind::cartesian, std::int64_t{3} * dimensions, &numbers);
  if (topology)
    topology->grid = {dimensions, numbers, numbers + dimensions, numbers + 2 * dimensions};
  return topology;
}

Topology* new_graph(int nodes, int edges) {
  int* numbers = nullptr;
  Topology* topology = new_topology(TopologyKind::graph, std::int64_t{nodes} + edges, &numbers);
  if (topology) topology->graph = {nodes, numbers, numbers + nodes};
  return topology;
}

Topology* new_distributed_graph(int in, int out, bool weighted) {
  int* numbers = nullptr;
  std::int64_t ranks = std::int64_t{in} + out;
  Topology* topology =
      new_topology(TopologyKind::distributed_graph, weighted ? 2 * ranks : ranks, &numbers);
  if (!topology) return nullptr;
  topology->local.weighted = weighted;
  topology->local.in = {in, numbers, weighted ? numbers + ranks : nullptr};
  topology->local.out = {out, numbers + in, weighted ? numbers + ranks + in : nullptr};
  return topology;
}

void release(Topology& topology) {
  // ORDER topology.references: release by each, acquire by the last; all uses are over.
  if (topology.references.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(&topology);
}

}  // namespace baton::world
