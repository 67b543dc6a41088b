// The bodies of the procedures about distributed graphs are here.
#include <algorithm>

#include "api/process_topology.hpp"
#include "topology/create.hpp"

namespace baton::api {

namespace {

using topology::Contribution;
using world::Neighbors;
using world::TopologyKind;

// This is the name of an array argument in messages.
struct Name {
  int number;
  const char* text;
};

Error check_count(Name name, std::int64_t count) {
  if (count >= 0) return MPI_SUCCESS;
  return fail(MPI_ERR_ARG, "argument %d (%s) is %d; it must be at least 0", name.number, name.text,
              static_cast<int>(count));
}

Error check_ranks(Name name, const int* ranks, std::int64_t count, int size) {
  if (!ranks && count > 0)
    return fail(MPI_ERR_ARG, "argument %d (%s) is a null pointer; it must point to an array",
                name.number, name.text);
  for (std::int64_t i = 0; i < count; ++i)
    if (ranks[i] < 0 || ranks[i] >= size)
      return fail(MPI_ERR_RANK,
                  "argument %d (%s): element %lld is %d; the communicator has ranks 0 to %d",
                  name.number, name.text, static_cast<long long>(i), ranks[i], size - 1);
  return MPI_SUCCESS;
}

Error check_weights(Name name, const int* weights, std::int64_t count) {
  if (weights == MPI_UNWEIGHTED || count == 0) return MPI_SUCCESS;
  if (!weights || weights == MPI_WEIGHTS_EMPTY)
    return fail(MPI_ERR_ARG,
                "argument %d (%s) is %s, and there are edges; give an array, or MPI_UNWEIGHTED",
                name.number, name.text, weights ? "MPI_WEIGHTS_EMPTY" : "a null pointer");
  for (std::int64_t i = 0; i < count; ++i)
    if (weights[i] < 0)
      return fail(MPI_ERR_ARG, "argument %d (%s): element %lld is %d; weights are not negative",
                  name.number, name.text, static_cast<long long>(i), weights[i]);
  return MPI_SUCCESS;
}

Error check_list(Name degree, Name ranks, Name weights, const Neighbors& list, int size) {
  if (Error error = check_count(degree, list.count)) return error;
  if (Error error = check_ranks(ranks, list.ranks, list.count, size)) return error;
  return check_weights(weights, list.weights, list.count);
}

Error check_both(const Neighbors& in, const Neighbors& out, int size) {
  if (Error error = check_list({2, "indegree"}, {3, "sources"}, {4, "sourceweights"}, in, size))
    return error;
  if (Error error =
          check_list({5, "outdegree"}, {6, "destinations"}, {7, "destweights"}, out, size))
    return error;
  if ((in.weights == MPI_UNWEIGHTED) == (out.weights == MPI_UNWEIGHTED)) return MPI_SUCCESS;
  return fail(MPI_ERR_ARG,
              "arguments 4 (sourceweights) and 7 (destweights): one is MPI_UNWEIGHTED; both have "
              "to be, or none");
}

Error check_fans(const topology::Fans& fans, int size) {
  if (Error error = check_count({2, "n"}, fans.count)) return error;
  if (Error error = check_ranks({3, "sources"}, fans.sources, fans.count, size)) return error;
  if (!fans.degrees && fans.count > 0)
    return fail(MPI_ERR_ARG, "argument 4 (degrees) is a null pointer; it must point to an array");
  std::int64_t edges = 0;
  for (int i = 0; i < fans.count; ++i) {
    if (fans.degrees[i] < 0)
      return fail(MPI_ERR_ARG, "argument 4 (degrees): element %d is %d; it must be at least 0", i,
                  fans.degrees[i]);
    edges += fans.degrees[i];
  }
  if (Error error = check_ranks({5, "destinations"}, fans.destinations, edges, size)) return error;
  return check_weights({6, "weights"}, fans.weights, edges);
}

Error give(Error error, Communicator* made, const Info* info, MPI_Comm* handle) {
  if (error) return error;
  world::update_hints(made->hints, info);
  *handle = made->handle;
  return MPI_SUCCESS;
}

// Copies as many neighbors as fit, with their weights where there are some and they are wanted.
void copy_out(const Neighbors& list, int space, int* ranks, int* weights) {
  int count = std::min(space, list.count);
  std::copy_n(list.ranks, count, ranks);
  if (list.weights && weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY)
    std::copy_n(list.weights, count, weights);
}

Error check_space(Name name, const Neighbors& list, int space, const int* weights) {
  if (weights || !list.weights || std::min(space, list.count) == 0) return MPI_SUCCESS;
  return fail(MPI_ERR_ARG,
              "argument %d (%s) is a null pointer; the graph has weights: give an array, or "
              "MPI_UNWEIGHTED to leave them out",
              name.number, name.text);
}

}  // namespace

Error dist_graph_create(Communicator& comm, int count, const int* sources, const int* degrees,
                        const int* destinations, const int* weights, const Info* info, int reorder,
                        MPI_Comm* handle) {
  if (Error error = check_parent(comm)) return error;
  topology::Fans fans{count, sources, degrees, destinations, weights};
  Contribution mine{weights != MPI_UNWEIGHTED, reorder != 0, check_fans(fans, comm.size())};
  if (mine.problem) fans = {};
  if (!mine.weighted) fans.weights = nullptr;
  Communicator* made = nullptr;
  Error error = topology::create_distributed_graph(comm, fans, mine, &made);
  return give(error, made, info, handle);
}

Error dist_graph_create_adjacent(Communicator& comm, int in_degree, const int* sources,
                                 const int* source_weights, int out_degree, const int* destinations,
                                 const int* destination_weights, const Info* info, int reorder,
                                 MPI_Comm* handle) {
  if (Error error = check_parent(comm)) return error;
  // The arrays are not written to.
  Neighbors in{in_degree, const_cast<int*>(sources), const_cast<int*>(source_weights)};
  Neighbors out{out_degree, const_cast<int*>(destinations), const_cast<int*>(destination_weights)};
  Contribution mine{in.weights != MPI_UNWEIGHTED, reorder != 0, check_both(in, out, comm.size())};
  if (mine.problem) in = out = {};
  Communicator* made = nullptr;
  Error error = topology::create_adjacent(comm, in, out, mine, &made);
  return give(error, made, info, handle);
}

Error dist_graph_neighbors_count(Communicator& comm, int* in, int* out, int* weighted) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::distributed_graph, &topology)) return error;
  *in = topology->local.in.count;
  *out = topology->local.out.count;
  *weighted = topology->local.weighted;
  return MPI_SUCCESS;
}

Error dist_graph_neighbors(Communicator& comm, int in_space, int* sources, int* source_weights,
                           int out_space, int* destinations, int* destination_weights) {
  const Topology* topology;
  if (Error error = find_topology(comm, TopologyKind::distributed_graph, &topology)) return error;
  const Neighbors &in = topology->local.in, &out = topology->local.out;
  if (Error error = check_space({4, "sourceweights"}, in, in_space, source_weights)) return error;
  if (Error error = check_space({7, "destweights"}, out, out_space, destination_weights))
    return error;
  copy_out(in, in_space, sources, source_weights);
  copy_out(out, out_space, destinations, destination_weights);
  return MPI_SUCCESS;
}

}  // namespace baton::api
