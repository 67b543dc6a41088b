// The distance of two processes, by the time that a cache line takes which one has just written and
// the other reads: near (one cluster of cores, some 30 ns) or far (another chiplet or socket, 100
// ns and more). What is measured at one distance says little of the other.
#pragma once

#include <cstdint>

namespace baton {

enum class Distance : std::uint8_t { near, far };
inline constexpr int distance_count = 2;
inline constexpr const char* distance_names[distance_count] = {"near", "far"};

// A time between these is neither.
inline constexpr std::int64_t near_below_ns = 70, far_from_ns = 90;

// These are the words for the setting near_ranks: which ranks count as near.
enum class NearRanks : std::uint8_t { automatic, measured, none, l2, l3, numa_node };
inline constexpr const char* near_ranks_words[] = {"auto", "measured", "none",
                                                   "l2",   "l3",       "numa_node"};

}  // namespace baton
