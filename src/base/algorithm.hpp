// This is the one table of the algorithms of collectives: which kind of call each serves, and what
// it needs. collective/choose.hpp chooses from it, BATON_COLLECTIVES and profiles name its rows,
// and mpiexec --explain prints them. base/selection.hpp says where each algorithm is taken.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/traffic.hpp"

namespace baton {

// These are the kinds of collectives. The v and w forms, and reduce_scatter_block, are no kinds of
// their own.
// clang-format off
#define BATON_COLLECTIVE_KINDS(X)                                                                   \
  X(barrier) X(broadcast) X(gather) X(scatter) X(allgather) X(alltoall) X(reduce) X(allreduce)      \
  X(reduce_scatter) X(scan) X(exscan) X(neighbor_allgather) X(neighbor_alltoall)
// clang-format on

enum class CollectiveKind : std::uint8_t {
#define BATON_KIND_NAME(name) name,
  BATON_COLLECTIVE_KINDS(BATON_KIND_NAME)
#undef BATON_KIND_NAME
};
inline constexpr const char* collective_kind_names[] = {
#define BATON_KIND_TEXT(name) #name,
    BATON_COLLECTIVE_KINDS(BATON_KIND_TEXT)
#undef BATON_KIND_TEXT
};
inline constexpr int collective_kind_count =
    sizeof collective_kind_names / sizeof *collective_kind_names;

// These bits say what an algorithm needs of a call. All ranks alike know whether the call has it.
enum AlgorithmNeed : unsigned {
  needs_nothing = 0,
  needs_commuting = 1,      // an operation that commutes
  needs_even = 2,           // all ranks know how long everybody's blocks are
  needs_in_place = 4,       // in place (an alltoall: there all ranks or none are in place)
  needs_not_in_place = 8,   // not in place (an alltoall, too)
  needs_direct = 16,        // copies between the buffers of ranks; its rounds take lines only
  needs_whole_blocks = 32,  // goes through all of a room's blocks, however long it is
  needs_groups = 64,        // ranks that the machine divides into groups
  needs_order = 128,        // groups that are ranges of ranks, where the operation does not commute
  needs_nodes = 256,        // several nodes, of which one has several ranks
  needs_regular_nodes = 512,  // nodes of as many ranks each, which follow one another
};

// An algorithm whose number of rounds in a room depends on the call's length has one of these
// values: one or two rounds for each segment (collective/room/segments.hpp), or for each segment
// that goes along a chain (chains.hpp).
inline constexpr std::uint8_t round_per_segment = 253, two_rounds_per_segment = 254,
                              round_per_chain_segment = 255;
// The columns are: name (begins with its kind's), kind, rounds in a room (0: goes by messages),
// needs, description. The last row of each kind goes by messages and needs nothing: it is the last
// resort.
// The function of the same name in a file of collective/algorithm/ is the algorithm;
// collective/algorithm.hpp declares it from the row.
// clang-format off
#define BATON_ALGORITHMS(X)                                                                         \
  X(barrier_in_room,            barrier,        1, needs_nothing,   "all publish a line")           \
  X(barrier_hierarchical_in_room, barrier,      2, needs_groups,    "within the machine's groups, then between them") \
  X(barrier_by_nodes,           barrier,        0, needs_nodes,     "within the nodes, then one of each node with the others") \
  X(barrier_dissemination,      barrier,        0, needs_nothing,   "messages over doubling distances") \
  X(broadcast_in_room,          broadcast,      1, needs_even,      "the root writes, all read")    \
  X(broadcast_segmented_in_room, broadcast, round_per_segment, needs_even | needs_whole_blocks, "segment after segment, the root writes, all read") \
  X(broadcast_hierarchical_in_room, broadcast,  2, needs_even | needs_groups, "one of each of the machine's groups reads, then its group") \
  X(broadcast_direct,           broadcast,      2, needs_even | needs_direct, "along a wide tree, each copies from the buffer above") \
  X(broadcast_by_nodes,         broadcast,      0, needs_nodes,     "to one of each node, then within the nodes") \
  X(broadcast_binomial,         broadcast,      0, needs_nothing,   "down a binomial tree")         \
  X(gather_in_room,             gather,         1, needs_even,      "all write, the root reads")    \
  X(gather_direct,              gather,         2, needs_even | needs_direct, "each copies to the root's buffer") \
  X(gather_by_nodes,            gather,         0, needs_even | needs_nodes | needs_regular_nodes, "one of each node collects, then the root") \
  X(gather_binomial,            gather,         0, needs_even,      "up a binomial tree, in one message from each rank") \
  X(gather_linear,              gather,         0, needs_nothing,   "straight to the root")         \
  X(scatter_in_room,            scatter,        1, needs_even,      "the root writes, each reads its block") \
  X(scatter_direct,             scatter,        2, needs_even | needs_direct, "each copies from the root's buffer") \
  X(scatter_by_nodes,           scatter,        0, needs_even | needs_nodes | needs_regular_nodes, "to one of each node, which hands out") \
  X(scatter_linear,             scatter,        0, needs_nothing,   "straight from the root")       \
  X(allgather_in_room,          allgather,      1, needs_even,      "all write, all read")          \
  X(allgather_segmented_in_room, allgather, round_per_segment, needs_even | needs_whole_blocks, "segment after segment, all write and read at the same time") \
  X(allgather_direct,           allgather,      2, needs_even | needs_direct, "each copies from all others' buffers") \
  X(allgather_by_nodes,         allgather,      0, needs_even | needs_nodes | needs_regular_nodes, "one of each node collects, exchanges with the others, and hands out") \
  X(allgather_bruck,            allgather,      0, needs_even,      "messages over doubling distances, of all that a rank has") \
  X(allgather_ring,             allgather,      0, needs_nothing,   "blocks go round from neighbor to neighbor") \
  X(alltoall_in_room,           alltoall,       1, needs_even,      "all write all blocks, each reads its own") \
  X(alltoall_segmented_in_room, alltoall, round_per_segment, needs_even | needs_whole_blocks, "segment after segment, all write and read at the same time") \
  X(alltoall_direct,            alltoall,       2, needs_even | needs_not_in_place | needs_direct, "each copies from all others' buffers") \
  X(alltoall_by_nodes,          alltoall,       0, needs_even | needs_nodes | needs_regular_nodes, "within each node, then each rank with its like on the other nodes") \
  X(alltoall_bruck,             alltoall,       0, needs_even,      "messages over doubling distances, of half of all blocks") \
  X(alltoall_in_place,          alltoall,       0, needs_in_place,  "pairs exchange in the order of a tournament") \
  X(alltoall_pairwise,          alltoall,       0, needs_not_in_place, "one pair after another")    \
  X(reduce_in_room,             reduce,         1, needs_nothing,   "all write, the root combines") \
  X(reduce_hierarchical_in_room, reduce,        2, needs_groups | needs_order, "one of each of the machine's groups combines, then the root") \
  X(reduce_chain_in_room,       reduce, round_per_chain_segment, needs_whole_blocks, "segment after segment, ranks add to a sum one after the other") \
  X(reduce_direct,              reduce,         2, needs_direct,    "each combines a part of all buffers, and copies it to the root's") \
  X(reduce_by_nodes,            reduce,         0, needs_nodes | needs_commuting, "one of each node combines, then the root") \
  X(reduce_binomial,            reduce,         0, needs_nothing,   "up a binomial tree")           \
  X(allreduce_in_room,          allreduce,      1, needs_nothing,   "all write, each combines all") \
  X(allreduce_hierarchical_in_room, allreduce,  2, needs_groups | needs_order, "one of each of the machine's groups combines, then all") \
  X(allreduce_by_parts_in_room, allreduce,      2, needs_nothing,   "all write, each combines a part, all read the parts") \
  X(allreduce_segmented_in_room, allreduce, two_rounds_per_segment, needs_whole_blocks, "segment after segment, all write, each combines a part, all read") \
  X(allreduce_chain_in_room,    allreduce, round_per_chain_segment, needs_whole_blocks, "segment after segment, ranks add to a sum one after the other") \
  X(allreduce_direct,           allreduce,      2, needs_direct,    "each combines a part of all buffers, and copies it to all") \
  X(allreduce_by_nodes,         allreduce,      0, needs_nodes | needs_commuting, "one of each node combines, and again with the others") \
  X(allreduce_by_nodes_in_parts, allreduce,     0, needs_nodes | needs_regular_nodes | needs_commuting, "each combines a part of its node's, and again with its like on the others") \
  X(allreduce_halving,          allreduce,      0, needs_commuting, "recursive halving, then doubling: each rank reduces a part") \
  X(allreduce_doubling,         allreduce,      0, needs_nothing,   "recursive doubling: all of it in each step") \
  X(reduce_scatter_in_room,     reduce_scatter, 1, needs_nothing,   "all write, each combines its part") \
  X(reduce_scatter_segmented_in_room, reduce_scatter, round_per_segment, needs_whole_blocks, "segment after segment, all write and combine at the same time") \
  X(reduce_scatter_chain_in_room, reduce_scatter, round_per_chain_segment, needs_whole_blocks, "segment after segment, ranks add to a sum one after the other") \
  X(reduce_scatter_direct,      reduce_scatter, 2, needs_direct,    "each combines its part of all buffers") \
  X(reduce_scatter_pairwise,    reduce_scatter, 0, needs_commuting, "each pair exchanges what the other one reduces") \
  X(reduce_scatter_rooted,      reduce_scatter, 0, needs_nothing,   "rank 0 reduces all and hands out the parts") \
  X(scan_in_room,               scan,           1, needs_nothing,   "all write, each combines those before it") \
  X(scan_doubling,              scan,           0, needs_nothing,   "messages over doubling distances") \
  X(exscan_in_room,             exscan,         1, needs_nothing,   "all write, each combines those before it") \
  X(exscan_doubling,            exscan,         0, needs_nothing,   "messages over doubling distances") \
  X(neighbor_allgather_exchange, neighbor_allgather, 0, needs_nothing, "all messages at once")    \
  X(neighbor_alltoall_exchange,  neighbor_alltoall,  0, needs_nothing, "all messages at once")
// clang-format on

enum class Algorithm : std::uint8_t {
#define BATON_ALGORITHM_NAME(name, kind, rounds, needs, words) name,
  BATON_ALGORITHMS(BATON_ALGORITHM_NAME)
#undef BATON_ALGORITHM_NAME
};

struct AlgorithmRow {
  const char* name;
  CollectiveKind kind;
  std::uint8_t rounds;  // of one call, in its room
  unsigned needs;
  const char* words;
};
inline constexpr AlgorithmRow algorithm_rows[] = {
#define BATON_ALGORITHM_ROW(name, kind, rounds, needs, words) \
  {#name, CollectiveKind::kind, rounds, needs, words},
    BATON_ALGORITHMS(BATON_ALGORITHM_ROW)
#undef BATON_ALGORITHM_ROW
};
inline constexpr int algorithm_count = sizeof algorithm_rows / sizeof *algorithm_rows;

// These are former names of algorithms and kinds. Rows of BATON_COLLECTIVES and of profiles may use
// them for one release.
struct FormerName {
  std::string_view former;
  std::string_view name;
};
inline constexpr FormerName former_names[] = {
    {"allgather_by_pieces_in_room", "allgather_segmented_in_room"},
    {"alltoall_by_pieces_in_room", "alltoall_segmented_in_room"},
    {"allreduce_by_pieces_in_room", "allreduce_segmented_in_room"},
    {"reduce_scatter_by_pieces_in_room", "reduce_scatter_segmented_in_room"},
    {"barrier_by_groups_in_room", "barrier_hierarchical_in_room"},
    {"broadcast_by_groups_in_room", "broadcast_hierarchical_in_room"},
    {"reduce_by_groups_in_room", "reduce_hierarchical_in_room"},
    {"allreduce_by_groups_in_room", "allreduce_hierarchical_in_room"},
    {"neighbour_allgather", "neighbor_allgather"},
    {"neighbour_alltoall", "neighbor_alltoall"},
    {"neighbour_allgather_exchange", "neighbor_allgather_exchange"},
    {"neighbour_alltoall_exchange", "neighbor_alltoall_exchange"},
};
constexpr std::string_view current_name(std::string_view name) {
  for (const FormerName& one : former_names)
    if (one.former == name) return one.name;
  return name;
}

constexpr const AlgorithmRow& row_of(Algorithm algorithm) {
  return algorithm_rows[static_cast<int>(algorithm)];
}

// A choice says why an algorithm was chosen: who asked for it, or why another one that was asked
// for could not be used.
// clang-format off
#define BATON_CHOICES(X)                                                                            \
  X(guess,             "built in, a guess")                                                         \
  X(measured,          "built in, measured")                                                        \
  X(measured_elsewhere, "built in, a guess here; measured")                                         \
  X(tuned,             "the machine's profile says so")                                             \
  X(forced,            "BATON_COLLECTIVES says so")                                                 \
  X(last_resort,       "nothing else was asked for")                                                \
  X(not_commuting,     "the preferred one needs an operation that commutes")                        \
  X(uneven,            "the preferred one needs blocks whose length all ranks know")                \
  X(in_place,          "the preferred one cannot work in place")                                    \
  X(not_in_place,      "the preferred one works in place only")                                     \
  X(one_rank,          "the preferred one meets others, and there are none")                        \
  X(no_room,           "the preferred one meets in a room: BATON_ROOMS=0, or no shared memory")     \
  X(several_nodes,     "the preferred one meets in a room, and the ranks are on several nodes")   \
  X(pool_in_use,       "the preferred one meets in a room, and the pool of rooms has too little left") \
  X(not_direct,        "the preferred one copies between buffers, which not all ranks may: BATON_CMA=0, or the kernel refuses it") \
  X(no_groups,         "the preferred one needs ranks that the machine divides into groups")        \
  X(several_jobs,      "the preferred one needs ranks of one job")                                   \
  X(no_nodes,          "the preferred one needs several nodes, of which one has several ranks")      \
  X(irregular_nodes,   "the preferred one needs nodes of equally many, consecutive ranks")          \
  X(mixed_groups,      "the preferred one needs groups of consecutive ranks, or an operation that commutes") \
  X(device_memory,     "some ranks' data may lie in device memory, where messages alone reach it")   \
  X(too_long_for_room, "longer than what a rank may put into a room (BATON_ROOM_BYTES_MAX; less of more than 64 ranks)")
// clang-format on

enum class ChoiceReason : std::uint8_t {
#define BATON_CHOICE_NAME(name, words) name,
  BATON_CHOICES(BATON_CHOICE_NAME)
#undef BATON_CHOICE_NAME
};
inline constexpr NameRow choice_rows[] = {
#define BATON_CHOICE_ROW(name, words) {#name, words},
    BATON_CHOICES(BATON_CHOICE_ROW)
#undef BATON_CHOICE_ROW
};
inline constexpr int choice_count = sizeof choice_rows / sizeof *choice_rows;

// These counts say how many calls of a rank went by an algorithm, why, and of what size.
struct CollectiveCounts {
  std::uint64_t calls[algorithm_count][choice_count][size_class_count];
  std::uint64_t rooms_in_pool;  // when it had too little left for another, most of all times
};

}  // namespace baton
