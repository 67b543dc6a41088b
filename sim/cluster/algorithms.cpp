#include "sim/cluster/algorithms.hpp"

namespace baton::cluster {

namespace {

using enum CollectiveKind;

// The library's names stand in its table (base/algorithm.hpp); the others are candidates.
constexpr Known all_known[] = {
    {"barrier_dissemination", barrier, "messages over doubling distances", barrier_dissemination},
    {"barrier_hierarchical", barrier, "trees on nodes, dissemination between their first ranks",
     barrier_hierarchical},
    {"broadcast_binomial", broadcast, "down a binomial tree", broadcast_binomial},
    {"broadcast_knomial", broadcast, "down a tree of base 4", broadcast_knomial},
    {"broadcast_chain", broadcast, "from rank to rank in segments", broadcast_chain},
    {"broadcast_scatter_allgather", broadcast, "a binomial scatter, then a ring",
     broadcast_scatter_allgather},
    {"broadcast_hierarchical", broadcast,
     "down a binomial tree of the nodes' first ranks, then of each node", broadcast_hierarchical},
    {"allreduce_doubling", allreduce, "recursive doubling", allreduce_doubling},
    {"allreduce_halving", allreduce, "recursive halving, then doubling (Rabenseifner)",
     allreduce_halving},
    {"allreduce_halving_near", allreduce, "the same with the nearest partners first",
     allreduce_halving_near},
    {"allreduce_ring", allreduce, "parts go round twice", allreduce_ring},
    {"allreduce_hierarchical", allreduce,
     "trees on nodes, recursive doubling between their first ranks", allreduce_hierarchical},
    {"allreduce_hierarchical_halving", allreduce,
     "trees on nodes, recursive halving between their first ranks", allreduce_hierarchical_halving},
    {"alltoall_pairwise", alltoall, "one pair after another, 8 at a time", alltoall_pairwise},
    {"alltoall_bruck", alltoall, "messages over doubling distances, of half of all blocks",
     alltoall_bruck},
    {"alltoall_hierarchical", alltoall,
     "a node's first rank gathers, exchanges with other nodes, hands out", alltoall_hierarchical},
    {"scatter_linear", scatter, "straight from the root", scatter_linear},
    {"scatter_binomial", scatter, "down a binomial tree", scatter_binomial},
};

}  // namespace

std::span<const Known> known_algorithms() {
  return all_known;
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
