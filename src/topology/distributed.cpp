// This makes distributed graphs. Each process gives some edges of the graph; their ranks are those
// of the new communicator, so that when ranks are reordered the neighbors move to other processes,
// too.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "message/core/point_to_point.hpp"
#include "topology/attach.hpp"
#include "topology/create.hpp"
#include "topology/reorder.hpp"
#include "topology/route.hpp"

namespace baton::topology {

namespace {

using world::Neighbors;

Datatype& bytes_type() {
  return *datatype::datatypes.find(MPI_BYTE);
}

// All processes know this of each other.
struct Share {
  std::int32_t problem;
  std::int32_t weighted;
  std::int32_t reorder;
  std::int32_t in;
  std::int32_t out;
  std::int32_t reserved;
  std::int64_t edges;  // given to the process that has to know the whole graph
};

// All processes see equal shares, so all find the same error.
Error check_shares(const Share* shares, int count, int own) {
  for (int i = 0; i < count; ++i) {
    if (i == own || !shares[i].problem) continue;
    return fail(shares[i].problem,
                "the arguments that rank %d gives are wrong (its own error says how); without them "
                "there is no graph",
                i);
  }
  for (int i = 1; i < count; ++i) {
    if (shares[i].weighted == shares[0].weighted) continue;
    int without = shares[0].weighted ? i : 0;
    return fail(MPI_ERR_ARG,
                "rank %d gives MPI_UNWEIGHTED, and rank %d gives weights; all have to give weights "
                "(MPI_WEIGHTS_EMPTY where there are no edges), or none",
                without, i - without);
  }
  return MPI_SUCCESS;
}

Error exchange_shares(Communicator& parent, const Contribution& mine, Share share,
                      Array<Share>& shares) {
  Explanation why = last_explanation();
  share.problem = mine.problem;
  share.weighted = mine.weighted;
  share.reorder = mine.reorder;
  shares = make_array<Share>(parent.size());
  if (!shares) return no_memory();
  Error error = world::agree_allgather(parent.members(world::agreement_tag), &share, sizeof share,
                                       shares.get());
  if (error) return error;
  if (mine.problem) {
    last_explanation() = why;
    return mine.problem;
  }
  return check_shares(shares.get(), parent.size(), parent.rank());
}

constexpr std::int64_t bytes_of(std::int64_t edges) {
  return edges * static_cast<std::int64_t>(sizeof(Edge));
}

// Collects the whole graph at the first rank, and maps it.
Error map_whole(Communicator& parent, const Share* shares, const Edge* own, const PlaceTree& tree,
                Array<Edge>& edges, Mapping& mapping) {
  std::int64_t count = shares[0].edges;
  std::copy_n(own, count, edges.get());
  for (int rank = 1; rank < parent.size(); ++rank) {
    Error error =
        message::receive(parent.collective, edges.get() + count, bytes_of(shares[rank].edges),
                         bytes_type(), rank, world::agreement_tag, nullptr);
    if (error) return error;
    count += shares[rank].edges;
  }
  Pattern pattern;
  if (pattern.build(parent.size(), edges.get(), count)) mapping = map_graph(pattern, tree);
  return MPI_SUCCESS;
}

// Agrees on the new rank of every process: the first rank collects the graph, decides, and tells.
// Where it has no memory for that, or nothing could be better, every process keeps its rank.
Error agree_mapping(Communicator& parent, const Share* shares, const Edge* own,
                    Array<std::int32_t>& rank_of) {
  int count = parent.size();
  std::int64_t edges_in_all = 0;
  bool reorder = true;
  for (int i = 0; i < count; ++i) {
    reorder = reorder && shares[i].reorder;
    edges_in_all += shares[i].edges;
  }
  rank_of = make_array<std::int32_t>(count);
  if (!rank_of) return no_memory();
  std::iota(rank_of.get(), rank_of.get() + count, 0);
  if (!reorder) return MPI_SUCCESS;
  world::Members members = parent.members(world::agreement_tag);
  bool first = parent.rank() == 0;
  PlaceTree tree;
  Array<Edge> edges;
  std::int32_t goes_on = 0;
  if (first && find_places(parent, count, tree) && tree.levels() > 0) {
    edges = make_array<Edge>(edges_in_all);
    goes_on = edges != nullptr;
  }
  Error error = world::agree_broadcast(members, 0, &goes_on, sizeof goes_on);
  if (error || !goes_on) return error;
  Mapping mapping;
  if (first)
    error = map_whole(parent, shares, own, tree, edges, mapping);
  else
    error = message::send(parent.collective, own, bytes_of(shares[parent.rank()].edges),
                          bytes_type(), 0, world::agreement_tag);
  if (error) return error;
  if (first)
    for (int process = 0; process < count; ++process) rank_of[process] = mapping(process);
  return world::agree_broadcast(members, 0, rank_of.get(),
                                count * static_cast<std::int64_t>(sizeof rank_of[0]));
}

void copy_neighbors(const Neighbors& from, Neighbors& to) {
  std::copy_n(from.ranks, from.count, to.ranks);
  if (to.weights) std::copy_n(from.weights, from.count, to.weights);
}

// Gets the neighbors of our new rank from the process that had this rank so far. They are one
// message, since a topology's numbers lie in one piece.
Error trade_neighbors(Communicator& parent, const Share* shares, const std::int32_t* rank_of,
                      Topology** topology) {
  int own = parent.rank(), old_owner = rank_of[own], new_owner = 0;
  while (rank_of[new_owner] != own) ++new_owner;
  if (old_owner == own) return MPI_SUCCESS;
  const Share& theirs = shares[old_owner];
  Topology* traded = world::new_distributed_graph(theirs.in, theirs.out, theirs.weighted);
  if (!traded) return no_memory();
  auto bytes = [](const Topology& one) {
    std::int64_t ranks = std::int64_t{one.local.in.count} + one.local.out.count;
    return (one.local.weighted ? 2 : 1) * ranks * static_cast<std::int64_t>(sizeof(int));
  };
  Error error =
      message::exchange(parent.collective, (*topology)->local.in.ranks, bytes(**topology),
                        bytes_type(), new_owner, world::agreement_tag, traded->local.in.ranks,
                        bytes(*traded), bytes_type(), old_owner, world::agreement_tag, nullptr);
  if (error) {
    release(*traded);
    return error;
  }
  release(**topology);
  *topology = traded;
  return MPI_SUCCESS;
}

// Puts the edges that touch a rank in its lists, by neighbor, then by weight, so that several edges
// between two ranks have the same order at both.
Topology* make_lists(const EdgeList& edges, int rank, bool weighted) {
  int in = 0, out = 0;
  const Edge *begin = edges.data(), *end = begin + edges.count();
  for (const Edge* edge = begin; edge != end; ++edge) {
    in += edge->to == rank;
    out += edge->from == rank;
  }
  Topology* topology = world::new_distributed_graph(in, out, weighted);
  if (!topology) return nullptr;
  auto fill = [&](Neighbors& list, std::int32_t Edge::*self, std::int32_t Edge::*other) {
    int next = 0;
    for (const Edge* edge = begin; edge != end; ++edge) {
      if (edge->*self != rank) continue;
      list.ranks[next] = edge->*other;
      if (list.weights) list.weights[next] = edge->weight;
      ++next;
    }
  };
  fill(topology->local.in, &Edge::to, &Edge::from);
  fill(topology->local.out, &Edge::from, &Edge::to);
  return topology;
}

// Writes all edges of all fans.
void spread(const Fans& fans, Edge* edges) {
  std::int64_t next = 0;
  for (int i = 0; i < fans.count; ++i)
    for (int k = 0; k < fans.degrees[i]; ++k, ++next)
      edges[next] = {fans.sources[i], fans.destinations[next],
                     fans.weights ? fans.weights[next] : 1};
}

}  // namespace

Error create_adjacent(Communicator& parent, const Neighbors& in, const Neighbors& out,
                      const Contribution& mine, Communicator** made) {
  *made = nullptr;
  Array<Share> shares;
  Share share{0, 0, 0, in.count, out.count, 0, out.count};
  if (Error error = exchange_shares(parent, mine, share, shares)) return error;
  Topology* topology = world::new_distributed_graph(in.count, out.count, mine.weighted);
  Array<Edge> edges = make_array<Edge>(out.count);
  Array<std::int32_t> rank_of;
  Error error = topology && edges ? MPI_SUCCESS : no_memory();
  if (!error) {
    copy_neighbors(in, topology->local.in);
    copy_neighbors(out, topology->local.out);
    for (int i = 0; i < out.count; ++i)
      edges[i] = {parent.rank(), out.ranks[i], mine.weighted ? out.weights[i] : 1};
    error = agree_mapping(parent, shares.get(), edges.get(), rank_of);
  }
  if (!error) error = trade_neighbors(parent, shares.get(), rank_of.get(), &topology);
  if (!error) return attach(parent, rank_of[parent.rank()], *topology, made);
  if (topology) release(*topology);
  return error;
}

Error create_distributed_graph(Communicator& parent, const Fans& fans, const Contribution& mine,
                               Communicator** made) {
  *made = nullptr;
  std::int64_t count = 0;
  if (!mine.problem) count = std::accumulate(fans.degrees, fans.degrees + fans.count, count);
  Array<Share> shares;
  if (Error error = exchange_shares(parent, mine, {0, 0, 0, 0, 0, 0, count}, shares)) return error;
  Array<Edge> edges = make_array<Edge>(count);
  if (!edges) return no_memory();
  spread(fans, edges.get());
  Array<std::int32_t> rank_of;
  if (Error error = agree_mapping(parent, shares.get(), edges.get(), rank_of)) return error;
  Array<std::int32_t> process_of = make_array<std::int32_t>(parent.size());
  if (!process_of) return no_memory();
  for (int process = 0; process < parent.size(); ++process) process_of[rank_of[process]] = process;
  EdgeList received;
  if (Error error = route_edges(parent, edges.get(), count, process_of.get(), received))
    return error;
  received.sort();
  int rank = rank_of[parent.rank()];
  Topology* topology = make_lists(received, rank, mine.weighted);
  return topology ? attach(parent, rank, *topology, made) : no_memory();
}

}  // namespace baton::topology
