// How the machine divides ranks into groups: by package, NUMA node, L3, L2 or core. Pure, from
// what the launcher wrote of each rank's place; takes no memory, so that all ranks, and tools, come
// to the same result.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lockfree/job.hpp"

namespace baton::collective {

// Groups in order are ranges of ranks; of others some ranks lie between those of another group.
enum class Grouping : std::uint8_t { none, in_order, mixed };

struct Division {
  // Ranks with the same number here are a group; null: nothing divides the ranks.
  std::int32_t lockfree::RankPlace::*by = nullptr;
  Grouping grouping = Grouping::none;
  int groups = 1;
  int largest = 0;

  // So many lines a rank reads at most where each group's first reads its group's, and all read
  // those of the first ones.
  int lines() const { return largest + groups; }
};

// Objects with higher numbers on their node divide nothing.
inline constexpr int object_numbers = lockfree::ranks_max;

// What several objects of one node are told apart by; negative: not known.
inline std::int32_t number_on_node(const lockfree::RankPlace& place,
                                   std::int32_t lockfree::RankPlace::*member) {
  return place.*member % lockfree::numbers_of_node;
}

// By one kind of object. It must be known of every rank, there must be several, and one that holds
// several ranks. `place_of(rank)` gives a RankPlace.
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

// By nodes, if there are several; else the division with the fewest lines; of several the one into
// fewer groups, then by the object that is named first.
template <class PlaceOf>
Division divide(int ranks, PlaceOf&& place_of) {
  using lockfree::RankPlace;
  // What goes between nodes is dearest, whatever they hold.
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
