// The schedules of algorithms, by name: those of the library, each what its file in
// src/collective/algorithm/ sends, and candidates for networks that it does not have yet. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/algorithm.hpp"
#include "sim/cluster/schedule.hpp"

namespace baton::cluster {

inline constexpr int no_step = -1;

// Root is rank 0. Bytes as in SelectionRow: of one rank's block; of an alltoall all its blocks.
struct Call {
  int ranks = 0;
  int ranks_per_node = 1;
  std::int64_t bytes = 0;
  int sample = 0;  // of steps that are alike so many, spread out evenly; 0: all; no_step
};

struct Known {
  std::string_view name;
  CollectiveKind kind;
  const char* words;
  Schedule (*make)(const Call& call);
};

std::span<const Known> known_algorithms();
// Whether it is made of steps within nodes and between them.
bool is_by_nodes(const Known& known);
// Null: there is no schedule of that name.
const Known* find_algorithm(std::string_view name);
// Whether the library has an algorithm of that name; else it is a candidate.
std::optional<Algorithm> library_algorithm(std::string_view name);

// By file.
Schedule barrier_dissemination(const Call& call);
Schedule barrier_by_nodes(const Call& call);
Schedule broadcast_binomial(const Call& call);
Schedule broadcast_knomial(const Call& call);
Schedule broadcast_chain(const Call& call);
Schedule broadcast_scatter_allgather(const Call& call);
Schedule broadcast_by_nodes(const Call& call);
Schedule scatter_linear(const Call& call);
Schedule scatter_binomial(const Call& call);
Schedule scatter_by_nodes(const Call& call);
Schedule reduce_binomial(const Call& call);
Schedule reduce_by_nodes(const Call& call);
Schedule gather_linear(const Call& call);
Schedule gather_binomial(const Call& call);
Schedule gather_by_nodes(const Call& call);
Schedule allgather_ring(const Call& call);
Schedule allgather_bruck(const Call& call);
Schedule allgather_by_nodes(const Call& call);
Schedule allreduce_doubling(const Call& call);
Schedule allreduce_halving(const Call& call);
Schedule allreduce_halving_far(const Call& call);
Schedule allreduce_ring(const Call& call);
Schedule allreduce_by_nodes(const Call& call);
Schedule allreduce_by_nodes_in_parts(const Call& call);
Schedule allreduce_by_nodes_in_parts_far(const Call& call);
Schedule alltoall_pairwise(const Call& call);
Schedule alltoall_bruck(const Call& call);
Schedule alltoall_by_nodes(const Call& call);
Schedule alltoall_hierarchical(const Call& call);

// What a broadcast's chain divides its message into; a guess.
inline constexpr std::int64_t chain_segment_bytes = 65536;
// Exchanges at a time of alltoall_pairwise (src/collective/algorithm/alltoall_pairwise.cpp).
inline constexpr int pairs_at_once = 8;

}  // namespace baton::cluster
