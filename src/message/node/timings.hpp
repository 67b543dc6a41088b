// Memory of long messages from and to a peer of this node: times by distance and size, and by ways
// of writing. Kept by the peer (node_peer.hpp), filled and asked by observe.cpp and
// stream_out.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>

#include "transport/move/adaptive_choice.hpp"
#include "transport/move/distance.hpp"

namespace baton::message {

struct Timings {
  // Sizes by their binary digits; what is shorter or longer than these counts as the nearest.
  static constexpr int digits_min = 13, digits_max = 28;
  static constexpr int sizes = digits_max - digits_min + 1;
  static constexpr int count = 2 * sizes;
  static int digits_of(std::int64_t bytes) {
    int digits = std::bit_width(static_cast<std::uint64_t>(bytes));
    return digits < digits_min ? digits_min : digits > digits_max ? digits_max : digits;
  }
  // Exported buffers need no system call: they have times of their own.
  static int index_of(std::int64_t bytes, bool exported) {
    return digits_of(bytes) - digits_min + (exported ? sizes : 0);
  }
  // The ways of the messages that come from the peer (observe.hpp).
  using Choice = transport::AdaptiveChoice<3>;
  struct Choices {
    Choice of[count];
  };
  std::unique_ptr<Choices> seen[distance_count];  // null: none at that distance
  transport::DistanceEstimate distance;
  // By index: what we have told the peer of its messages, and what we have seen that it tells us of
  // ours. A bit says that they go another way than those that nobody has timed.
  std::uint64_t told = 0, heard = 0;
};

// The ways in which the sender writes to a peer's staging: through its cache, or around it. Which
// is quicker depends on how far the two cores are from each other.
enum class Stores { through_cache, around_cache };
class StoreChoice {
 public:
  Stores now() const { return static_cast<Stores>(choice_.now()); }
  // Notes what writing took, in ticks for 1024 KiB.
  void took(Stores how, std::int64_t ticks) {
    constexpr int writes_in_trial = 4;  // guess
    // A reader pays as much again for data that went around the cache, by a guess.
    const std::int64_t later = how == Stores::around_cache ? ticks : 0;
    // Messages of different sizes follow each other, so their periods say nothing.
    constexpr std::int64_t no_period = 0;
    choice_.took(static_cast<int>(how), {ticks, later}, no_period, writes_in_trial);
  }

 private:
  transport::AdaptiveChoice<2> choice_;
};

}  // namespace baton::message
