#include "api/process_topology.hpp"

#include <algorithm>
#include <cinttypes>
#include <limits>

#include "topology/create.hpp"
#include "topology/grid.hpp"
#include "world/portability.hpp"

namespace baton::api {

namespace {

using topology::Graph;
using topology::Grid;
using world::TopologyKind;

const char* kind_name(const Topology* topology) {
  if (!topology) return "no topology";
  switch (topology->kind) {
    case TopologyKind::cartesian:
      return "a cartesian topology";
    case TopologyKind::graph:
      return "a graph topology";
    default:
      return "a distributed graph topology";
  }
}

const char* maker_of(TopologyKind kind) {
  switch (kind) {
    case TopologyKind::cartesian:
      return "MPI_Cart_create";
    case TopologyKind::graph:
      return "MPI_Graph_create";
    default:
      return "MPI_Dist_graph_create";
  }
}

Error null_array(int number, const char* name) {
  return fail(MPI_ERR_ARG, "argument %d (%s) is a null pointer; it must point to an array", number,
              name);
}

Error check_space(int number, const char* name, int space, int needed) {
  if (space >= needed) return MPI_SUCCESS;
  return fail(MPI_ERR_ARG, "argument %d (%s) is %d; there are %d to be written", number, name,
              space, needed);
}

Error check_rank(int rank, int size) {
  if (rank >= 0 && rank < size) return MPI_SUCCESS;
  return fail(MPI_ERR_RANK, "argument 2 (rank): rank %d is not in this communicator of %d ranks",
              rank, size);
}

// Returns whether a grid has no positions, so that no process is part of it.
bool is_empty(int count, const int* dims) {
  return std::find(dims, dims + count, 0) != dims + count;
}

Error check_grid(const Communicator& comm, int count, const int* dims) {
  if (count < 0)
    return fail(MPI_ERR_DIMS, "argument 2 (ndims) is %d; it must be at least 0", count);
  for (int i = 0; i < count; ++i)
    if (dims[i] < 0)
      return fail(MPI_ERR_DIMS, "argument 3 (dims): element %d is %d; it must be at least 0", i,
                  dims[i]);
  if (is_empty(count, dims)) return MPI_SUCCESS;
  std::int64_t positions = topology::position_count(count, dims);
  if (positions <= comm.size()) return MPI_SUCCESS;
  if (positions > std::numeric_limits<int>::max())
    return fail(MPI_ERR_DIMS,
                "argument 3 (dims): the grid has more positions than any communicator has ranks");
  return fail(MPI_ERR_DIMS,
              "argument 3 (dims): the grid has %" PRId64
              " positions, the communicator %d ranks; it must have as many at least",
              positions, comm.size());
}

Error check_graph(const Communicator& comm, int nodes, const int* index, const int* edges) {
  if (nodes < 0)
    return fail(MPI_ERR_ARG, "argument 2 (nnodes) is %d; it must be at least 0", nodes);
  if (nodes > comm.size())
    return fail(MPI_ERR_ARG,
                "argument 2 (nnodes) is %d, and the communicator has %d ranks; it must have as "
                "many at least",
                nodes, comm.size());
  for (int i = 0; i < nodes; ++i)
    if (index[i] < (i ? index[i - 1] : 0))
      return fail(MPI_ERR_ARG,
                  "argument 3 (index): element %d is %d, less than what comes before; it must "
                  "count the neighbors of nodes 0 to %d",
                  i, index[i], i);
  int count = nodes ? index[nodes - 1] : 0;
  if (!edges && count > 0) return null_array(4, "edges");
  for (int i = 0; i < count; ++i)
    if (edges[i] < 0 || edges[i] >= nodes)
      return fail(MPI_ERR_RANK, "argument 4 (edges): element %d is %d; the graph has nodes 0 to %d",
                  i, edges[i], nodes - 1);
  return MPI_SUCCESS;
}

// Makes a Grid of the arguments. The standard's arrays are not written to.
Grid wanted_grid(int count, const int* dims, const int* periods) {
  return {count, const_cast<int*>(dims), const_cast<int*>(periods), nullptr};
}
Graph wanted_graph(int nodes, const int* index, const int* edges) {
  return {nodes, const_cast<int*>(index), const_cast<int*>(edges)};
}

Error give(Error error, const Communicator* made, MPI_Comm* handle) {
  if (!error) *handle = made ? made->handle : MPI_COMM_NULL;
  return error;
}

}  // namespace

Error find_topology(const Communicator& comm, TopologyKind kind, const Topology** found) {
  *found = comm.topology;
  if (comm.topology && comm.topology->kind == kind) return MPI_SUCCESS;
  return fail(MPI_ERR_TOPOLOGY,
              "argument 1 (comm): this communicator has %s; it must be one that %s made, or a "
              "duplicate",
              kind_name(comm.topology), maker_of(kind));
}

Error check_parent(const Communicator& comm) {
  if (comm.is_inter())
    return fail(MPI_ERR_COMM,
                "argument 1 is an intercommunicator; it must be a communicator of one group "
                "(MPI_Intercomm_merge makes one)");
  return world::check_open(comm);
}

Error topo_test(Communicator& comm, int* status) {
  *status = MPI_UNDEFINED;
  if (!comm.topology) return MPI_SUCCESS;
  constexpr int codes[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  *status = codes[static_cast<int>(comm.topology->kind)];
  return MPI_SUCCESS;
}

Error dims_create(int nodes, int count, int* dims) {
  if (nodes < 1)
    return fail(MPI_ERR_ARG, "argument 1 (nnodes) is %d; it must be at least 1", nodes);
  if (count < 0)
    return fail(MPI_ERR_DIMS, "argument 2 (ndims) is %d; it must be at least 0", count);
  int rest = nodes, free = 0;
  for (int i = 0; i < count; ++i) {
    if (dims[i] < 0)
      return fail(MPI_ERR_DIMS,
                  "argument 3 (dims): element %d is %d; give 0 for a dimension to be chosen", i,
                  dims[i]);
    if (dims[i] == 0) {
      ++free;
      continue;
    }
    if (rest % dims[i] != 0)
      return fail(MPI_ERR_DIMS,
                  "argument 3 (dims): %d nodes cannot be spread over the dimensions given: element "
                  "%d is %d",
                  nodes, i, dims[i]);
    rest /= dims[i];
  }
  if (free == 0 && rest != 1)
    return fail(
        MPI_ERR_DIMS,
        "argument 3 (dims): their product is %d, not nnodes (%d); give 0 for one to be chosen",
        nodes / rest, nodes);
  if (!topology::fill_dimensions(rest, free, dims))
    return fail(MPI_ERR_DIMS, "argument 2 (ndims): %d nodes have no factors for %d dimensions",
                nodes, count);
  return MPI_SUCCESS;
}

Error cart_create(Communicator& comm, int count, const int* dims, const int* periods, int reorder,
                  MPI_Comm* handle) {
  if (Error error = check_parent(comm)) return error;
  if (Error error = check_grid(comm, count, dims)) return error;
  if (is_empty(count, dims)) {
    note_not_portable(Lenience::empty_grid);
    *handle = MPI_COMM_NULL;
    return MPI_SUCCESS;
  }
  Communicator* made = nullptr;
  Error error = topology::create_grid(comm, wanted_grid(count, dims, periods), reorder != 0, &made);
  return give(error, made, handle);
}

Error cart_map(Communicator& comm, int count, const int* dims, const int* periods, int* rank) {
  if (Error error = check_parent(comm)) return error;
  if (Error error = check_grid(comm, count, dims)) return error;
  if (is_empty(count, dims)) {
    note_not_portable(Lenience::empty_grid);
    *rank = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  *rank = topology::choose_rank(comm, wanted_grid(count, dims, periods));
  return MPI_SUCCESS;
}

Error cart_sub(Communicator& comm, const int* remain, MPI_Comm* handle) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::cartesian, &topology)) return error;
  if (Error error = world::check_open(comm)) return error;
  if (!remain && topology->grid.dimensions > 0) return null_array(2, "remain_dims");
  Communicator* made = nullptr;
  Error error = topology::keep_dimensions(comm, remain, &made);
  return give(error, made, handle);
}

Error cartdim_get(Communicator& comm, int* count) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::cartesian, &topology)) return error;
  *count = topology->grid.dimensions;
  return MPI_SUCCESS;
}

Error cart_get(Communicator& comm, int space, int* dims, int* periods, int* coordinates) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::cartesian, &topology)) return error;
  const Grid& grid = topology->grid;
  if (Error error = check_space(2, "maxdims", space, grid.dimensions)) return error;
  std::copy_n(grid.extents, grid.dimensions, dims);
  std::copy_n(grid.periods, grid.dimensions, periods);
  std::copy_n(grid.coordinates, grid.dimensions, coordinates);
  return MPI_SUCCESS;
}

Error cart_rank(Communicator& comm, const int* coordinates, int* rank) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::cartesian, &topology)) return error;
  const Grid& grid = topology->grid;
  if (!coordinates && grid.dimensions > 0) return null_array(2, "coords");
  int outside = topology::find_outside(grid, coordinates);
  if (outside >= 0)
    return fail(MPI_ERR_ARG,
                "argument 2 (coords): element %d is %d; this dimension is not periodic and has "
                "coordinates 0 to %d",
                outside, coordinates[outside], grid.extents[outside] - 1);
  *rank = topology::rank_at(grid, coordinates);
  return MPI_SUCCESS;
}

Error cart_coords(Communicator& comm, int rank, int space, int* coordinates) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::cartesian, &topology)) return error;
  if (Error error = check_rank(rank, comm.size())) return error;
  const Grid& grid = topology->grid;
  if (Error error = check_space(3, "maxdims", space, grid.dimensions)) return error;
  topology::find_coordinates(grid.dimensions, grid.extents, rank, coordinates);
  return MPI_SUCCESS;
}

Error cart_shift(Communicator& comm, int direction, int displacement, int* source,
                 int* destination) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::cartesian, &topology)) return error;
  const Grid& grid = topology->grid;
  if (direction < 0 || direction >= grid.dimensions)
    return fail(MPI_ERR_DIMS,
                "argument 2 (direction) is %d; the grid has %d dimensions, and they count from 0",
                direction, grid.dimensions);
  *source = topology::neighbor_along(grid, direction, -std::int64_t{displacement});
  *destination = topology::neighbor_along(grid, direction, displacement);
  return MPI_SUCCESS;
}

Error graph_create(Communicator& comm, int nodes, const int* index, const int* edges, int reorder,
                   MPI_Comm* handle) {
  if (Error error = check_parent(comm)) return error;
  if (Error error = check_graph(comm, nodes, index, edges)) return error;
  Communicator* made = nullptr;
  Error error =
      topology::create_graph(comm, wanted_graph(nodes, index, edges), reorder != 0, &made);
  return give(error, made, handle);
}

Error graph_map(Communicator& comm, int nodes, const int* index, const int* edges, int* rank) {
  if (Error error = check_parent(comm)) return error;
  if (Error error = check_graph(comm, nodes, index, edges)) return error;
  *rank = topology::choose_rank(comm, wanted_graph(nodes, index, edges));
  return MPI_SUCCESS;
}

Error graphdims_get(Communicator& comm, int* nodes, int* edges) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::graph, &topology)) return error;
  *nodes = topology->graph.nodes;
  *edges = topology->graph.edge_count();
  return MPI_SUCCESS;
}

Error graph_get(Communicator& comm, int index_space, int edges_space, int* index, int* edges) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::graph, &topology)) return error;
  const Graph& graph = topology->graph;
  if (Error error = check_space(2, "maxindex", index_space, graph.nodes)) return error;
  if (Error error = check_space(3, "maxedges", edges_space, graph.edge_count())) return error;
  std::copy_n(graph.index, graph.nodes, index);
  std::copy_n(graph.edges, graph.edge_count(), edges);
  return MPI_SUCCESS;
}

Error graph_neighbors_count(Communicator& comm, int rank, int* count) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::graph, &topology)) return error;
  if (Error error = check_rank(rank, comm.size())) return error;
  *count = topology->graph.first(rank + 1) - topology->graph.first(rank);
  return MPI_SUCCESS;
}

Error graph_neighbors(Communicator& comm, int rank, int space, int* neighbors) {
  int count;
  if (Error error = graph_neighbors_count(comm, rank, &count)) return error;
  if (Error error = check_space(3, "maxneighbors", space, count)) return error;
  const Graph& graph = comm.topology->graph;
  std::copy_n(graph.edges + graph.first(rank), count, neighbors);
  return MPI_SUCCESS;
}

}  // namespace baton::api
