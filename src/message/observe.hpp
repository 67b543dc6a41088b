// What a receiver sees of long messages: how long those of each size from one peer take, pulled and
// staged. It wishes for the quicker way, and the sender tries the other now and then. No sender can
// know it: reused buffers lie in the receiver's cache and are best pulled, freshly written ones are
// best staged (docs/decisions/observed.md).
#pragma once

#include <bit>
#include <cstdint>

namespace baton::message {

struct Peer;

// Sizes by their binary digits; what is shorter or longer than these counts as the nearest.
struct Timings {
  static constexpr int digits_min = 13, digits_max = 28;
  static constexpr int sizes = digits_max - digits_min + 1;
  static constexpr int count = 2 * sizes;
  static int digits_of(std::int64_t bytes) {
    int digits = std::bit_width(static_cast<std::uint64_t>(bytes));
    return digits < digits_min ? digits_min : digits > digits_max ? digits_max : digits;
  }
  // What is exported needs no system call: it has times of its own.
  static int place_of(std::int64_t bytes, bool exported) {
    return digits_of(bytes) - digits_min + (exported ? sizes : 0);
  }
  struct Seen {
    std::uint32_t pulled_ticks = 0;  // running means; 0: never seen
    std::uint32_t staged_ticks = 0;
    bool other = false;  // we wish for the other way than for what is unseen
  };
  Seen seen[count];
  // Of ours to it: trying the other way now and then, seldomer each time.
  struct Trial {
    std::uint8_t sent = 0;  // in this turn
    std::uint8_t turn = 12;
  };
  Trial trial[count];
};

enum class Taken { pulled, staged };

// The receiver: a message of this size cost so much, in ticks (platform/clock.hpp).
void observe(Peer& peer, std::int64_t bytes, bool exported, Taken how, std::int64_t cost_ticks);
// It could not have been pulled, because of its receive buffer: the sender need not wait for that.
void observe_not_pullable(Peer& peer, std::int64_t bytes, bool exported);
// The sender: whether to offer a message of this size to be pulled, rather than stage it.
bool should_offer(Peer& peer, std::int64_t bytes, bool exported);

}  // namespace baton::message
