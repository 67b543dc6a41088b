// Memory of long messages from and to a peer of this node: times by distance and size, and by ways
// of writing. Kept by the peer (node_peer.hpp), filled and asked by observe.cpp and
// stream_out.cpp.
#pragma once

#include <algorithm>
#include <atomic>
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
  std::unique_ptr<Choices> seen[transport::distance_count];  // null: none at that distance
  transport::DistanceEstimate distance;
  // By index: what we have told the peer of its messages, and what we have seen that it tells us of
  // ours. A bit says that they go another way than those that nobody has timed.
  std::uint64_t told = 0, heard = 0;
};

// How the sender writes to a peer's staging: through its cache, or around it. Which is quicker
// depends on how far the two cores are from each other; it times both. Only guesses, so that
// threads that send at once need no lock.
class StorePolicy {
 public:
  // Returns whether to write so now.
  bool around_cache() {
    constexpr std::uint8_t first_try = 6, in_a_row = 4;  // guess; of 256: below 2 %
    std::uint8_t turn = turns_.fetch_add(1, std::memory_order_relaxed);
    return (turn >= first_try && turn < first_try + in_a_row) != prefers_.load(relaxed);
  }
  // So long it took, in ticks for 1024 KiB.
  void took(bool around, std::int64_t ticks) {
    auto& mean = around ? around_ : through_;
    std::int64_t before = mean.load(relaxed);
    mean.store(before ? before + (std::min(ticks, 2 * before) - before) / 4 : ticks, relaxed);
    std::int64_t through = through_.load(relaxed), other = around_.load(relaxed);
    // Data that went around the cache costs the reader more than what lies in another's.
    constexpr std::int64_t worth = 2;  // guess
    if (through && other) prefers_.store(other * worth < through, relaxed);
  }

 private:
  // relaxed: as above.
  static constexpr auto relaxed = std::memory_order_relaxed;
  std::atomic<std::int64_t> through_ = 0, around_ = 0;  // running means; 0: never seen
  std::atomic<std::uint8_t> turns_ = 0;
  std::atomic<bool> prefers_ = false;
};

}  // namespace baton::message
