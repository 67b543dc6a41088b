// Computes how the machine divides ranks into groups: by node, package, NUMA node, L3, L2 or core.
// The functions are pure, and use what the launcher wrote of each rank's place; they take no
// memory, so that all ranks, and tools, come to the same result.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lockfree/job.hpp"

namespace baton::collective {

// Groups in order are ranges of ranks; in mixed ones, ranks of other groups may lie between those
// of a group.
enum class Grouping : std::uint8_t { none, in_order, mixed };

struct Division {
  // Ranks with the same number here are a group; null: nothing divides the ranks.
  std::int32_t lockfree::RankPlace::*by = nullptr;
  Grouping grouping = Grouping::none;
  int groups = 1;
  int largest = 0;

  // Returns the most lines that a rank reads where each group's first rank reads its group's lines,
  // and all read those of the first ranks.
  int lines() const { return largest + groups; }
};

// Objects with higher numbers on their node divide nothing.
inline constexpr int object_numbers = lockfree::ranks_max;

// Returns the number that tells several objects of one node apart; negative: not known.
inline std::int32_t number_on_node(const lockfree::RankPlace& place,
                                   std::int32_t lockfree::RankPlace::*member) {
  return place.*member % lockfree::numbers_of_node;
}

// Divides by one kind of object. It must be known for every rank, there must be several objects,
// and one that holds several ranks. `place_of(rank)` gives a RankPlace.
template <class PlaceOf>
Division divide_by(std::int32_t lockfree::RankPlace::*member, int ranks, PlaceOf&& place_of) {
  std::uint16_t held[object_numbers] = {};  // ranks, by the object's number
  Division division{member, Grouping::none, 0, 0};
  int borders = 0;
  std::int32_t before = -1;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int32_t number = number_on_node(place_of(rank), member);
    if (number < 0 || number >= object_numbers) return {};
    division.groups += held[number]++ == 0;
    division.largest = std::max<int>(division.largest, held[number]);
    borders += number != before;
    before = number;
  }
  if (division.groups < 2 || division.largest < 2) return {};
  division.grouping = borders == division.groups ? Grouping::in_order : Grouping::mixed;
  return division;
}

// Divides by nodes, if there are several; else takes the division with the fewest lines; among
// equal ones the one into fewer groups, then the one whose object is named first.
template <class PlaceOf>
Division divide(int ranks, PlaceOf&& place_of) {
  using lockfree::RankPlace;
  // Messages between nodes cost most, whatever the nodes hold.
  Division best = divide_by(&RankPlace::node, ranks, place_of);
  if (best.grouping != Grouping::none) return best;
  for (auto member : {&RankPlace::package, &RankPlace::numa_node, &RankPlace::l3, &RankPlace::l2,
                      &RankPlace::core}) {
    const Division division = divide_by(member, ranks, place_of);
    if (division.grouping == Grouping::none) continue;
    if (best.grouping == Grouping::none || division.lines() < best.lines() ||
        (division.lines() == best.lines() && division.groups < best.groups))
      best = division;
  }
  return best;
}

}  // namespace baton::collective
