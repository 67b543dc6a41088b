#include "topology/create.hpp"

#include <algorithm>

#include "message/core/engine.hpp"
#include "topology/attach.hpp"
#include "topology/reorder.hpp"

namespace baton::topology {

namespace {

int kept_rank(const Communicator& parent, std::int64_t positions) {
  return parent.rank() < positions ? parent.rank() : MPI_UNDEFINED;
}

// Builds the pattern. Every edge is listed at one end or at both, as the program has it.
bool build_pattern(const Graph& graph, Pattern& pattern) {
  int count = graph.edge_count();
  Array<Edge> edges = make_array<Edge>(count);
  if (!edges) return false;
  for (int rank = 0, i = 0; rank < graph.nodes; ++rank)
    for (; i < graph.index[rank]; ++i) edges[i] = {rank, graph.edges[i], 1};
  return pattern.build(graph.nodes, edges.get(), count);
}

}  // namespace

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a topology");
}

Error attach(Communicator& parent, int new_rank, Topology& topology, Communicator** made) {
  bool has_place = new_rank != MPI_UNDEFINED;
  Error error =
      world::split(parent, 0, has_place ? 0 : MPI_UNDEFINED, has_place ? new_rank : 0, made);
  if (error || !*made)
    release(topology);
  else
    (*made)->topology = &topology;
  return error;
}

bool find_places(const Communicator& comm, int count, PlaceTree& tree) {
  if (comm.spans_jobs()) return false;  // not all ranks would find the same
  Array<lockfree::RankPlace> places = make_array<lockfree::RankPlace>(count);
  if (!places) return false;
  for (int rank = 0; rank < count; ++rank)
    places[rank] = message::place_of(comm.local->processes[rank]);
  return tree.build(places.get(), count);
}

int choose_rank(const Communicator& parent, const Grid& wanted) {
  int positions = static_cast<int>(position_count(wanted.dimensions, wanted.extents));
  int rank = kept_rank(parent, positions);
  PlaceTree tree;
  if (rank == MPI_UNDEFINED || !find_places(parent, positions, tree)) return rank;
  return map_grid(wanted, tree)(rank);
}

int choose_rank(const Communicator& parent, const Graph& wanted) {
  int rank = kept_rank(parent, wanted.nodes);
  PlaceTree tree;
  Pattern pattern;
  if (rank == MPI_UNDEFINED || !find_places(parent, wanted.nodes, tree)) return rank;
  if (tree.levels() == 0 || !build_pattern(wanted, pattern)) return rank;
  return map_graph(pattern, tree)(rank);
}

Error create_grid(Communicator& parent, const Grid& wanted, bool reorder, Communicator** made) {
  *made = nullptr;
  Topology* topology = world::new_grid(wanted.dimensions);
  if (!topology) return no_memory();
  Grid& grid = topology->grid;
  std::copy_n(wanted.extents, wanted.dimensions, grid.extents);
  for (int i = 0; i < wanted.dimensions; ++i) grid.periods[i] = wanted.periods[i] != 0;
  int rank = reorder ? choose_rank(parent, grid)
                     : kept_rank(parent, position_count(grid.dimensions, grid.extents));
  if (rank != MPI_UNDEFINED)
    find_coordinates(grid.dimensions, grid.extents, rank, grid.coordinates);
  return attach(parent, rank, *topology, made);
}

Error create_graph(Communicator& parent, const Graph& wanted, bool reorder, Communicator** made) {
  *made = nullptr;
  Topology* topology = world::new_graph(wanted.nodes, wanted.edge_count());
  if (!topology) return no_memory();
  std::copy_n(wanted.index, wanted.nodes, topology->graph.index);
  std::copy_n(wanted.edges, wanted.edge_count(), topology->graph.edges);
  int rank = reorder ? choose_rank(parent, wanted) : kept_rank(parent, wanted.nodes);
  return attach(parent, rank, *topology, made);
}

Error keep_dimensions(Communicator& parent, const int* remain, Communicator** made) {
  *made = nullptr;
  const Grid& whole = parent.topology->grid;
  int kept = 0, color = 0, key = 0;
  for (int i = 0; i < whole.dimensions; ++i) kept += remain[i] != 0;
  Topology* topology = world::new_grid(kept);
  if (!topology) return no_memory();
  Grid& part = topology->grid;
  for (int i = 0, next = 0; i < whole.dimensions; ++i) {
    int& number = remain[i] ? key : color;
    number = number * whole.extents[i] + whole.coordinates[i];
    if (!remain[i]) continue;
    part.extents[next] = whole.extents[i];
    part.periods[next] = whole.periods[i];
    part.coordinates[next++] = whole.coordinates[i];
  }
  Error error = world::split(parent, 0, color, key, made);
  if (error)
    release(*topology);
  else
    (*made)->topology = topology;
  return error;
}

}  // namespace baton::topology
