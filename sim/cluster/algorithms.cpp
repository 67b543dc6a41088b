#include "sim/cluster/algorithms.hpp"

namespace baton::cluster {

namespace {

using enum CollectiveKind;

// The library's names stand in its table (base/algorithm.hpp); the others are candidates.
constexpr Known all_known[] = {
    {"barrier_dissemination", barrier, "messages over doubling distances", barrier_dissemination},
    {"barrier_by_nodes", barrier, "within the nodes, then the first of each with the others",
     barrier_by_nodes},
    {"broadcast_binomial", broadcast, "down a binomial tree", broadcast_binomial},
    {"broadcast_knomial", broadcast, "down a tree of base 4", broadcast_knomial},
    {"broadcast_chain", broadcast, "from rank to rank in segments", broadcast_chain},
    {"broadcast_scatter_allgather", broadcast, "a binomial scatter, then a ring",
     broadcast_scatter_allgather},
    {"broadcast_by_nodes", broadcast, "down a binomial tree of nodes, then within each",
     broadcast_by_nodes},
    {"reduce_binomial", reduce, "up a binomial tree", reduce_binomial},
    {"reduce_by_nodes", reduce, "within each node, then up a binomial tree of nodes",
     reduce_by_nodes},
    {"allreduce_doubling", allreduce, "recursive doubling", allreduce_doubling},
    {"allreduce_halving", allreduce, "recursive halving, then doubling (Rabenseifner)",
     allreduce_halving},
    {"allreduce_halving_far", allreduce, "the same with the farthest partners first",
     allreduce_halving_far},
    {"allreduce_ring", allreduce, "parts go round twice", allreduce_ring},
    {"allreduce_by_nodes", allreduce, "the first of each node for its node", allreduce_by_nodes},
    {"allreduce_by_nodes_in_parts", allreduce, "all ranks of a node, each on a part",
     allreduce_by_nodes_in_parts},
    {"allreduce_by_nodes_in_parts_far", allreduce,
     "the same, long parts by halving with the farthest nodes first",
     allreduce_by_nodes_in_parts_far},
    {"gather_linear", gather, "straight to the root", gather_linear},
    {"gather_binomial", gather, "up a binomial tree", gather_binomial},
    {"gather_by_nodes", gather, "the first of each node collects, then the root", gather_by_nodes},
    {"allgather_ring", allgather, "blocks go round", allgather_ring},
    {"allgather_bruck", allgather, "messages over doubling distances, of all that a rank has",
     allgather_bruck},
    {"allgather_by_nodes", allgather, "the first of each node collects, exchanges, hands out",
     allgather_by_nodes},
    {"alltoall_pairwise", alltoall, "one pair after another, 8 at a time", alltoall_pairwise},
    {"alltoall_bruck", alltoall, "messages over doubling distances, of half of all blocks",
     alltoall_bruck},
    {"alltoall_by_nodes", alltoall, "within each node, then each rank with its like on the others",
     alltoall_by_nodes},
    {"alltoall_hierarchical", alltoall,
     "a node's first rank gathers, exchanges with other nodes, hands out", alltoall_hierarchical},
    {"scatter_linear", scatter, "straight from the root", scatter_linear},
    {"scatter_by_nodes", scatter, "to the first of each node, which hands out", scatter_by_nodes},
    {"scatter_binomial", scatter, "down a binomial tree", scatter_binomial},
};

}  // namespace

std::span<const Known> known_algorithms() {
  return all_known;
}

bool is_by_nodes(const Known& known) {
  return known.name.find("_by_nodes") != std::string_view::npos;
}

const Known* find_algorithm(std::string_view name) {
  for (const Known& known : all_known)
    if (known.name == name) return &known;
  return nullptr;
}

std::optional<Algorithm> library_algorithm(std::string_view name) {
  for (int i = 0; i < algorithm_count; ++i)
    if (algorithm_rows[i].name == name) return static_cast<Algorithm>(i);
  return std::nullopt;
}

}  // namespace baton::cluster
