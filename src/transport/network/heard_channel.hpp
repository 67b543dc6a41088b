// The load of the channel (lockfree/channel.hpp) of a rank on another node, as its packets tell it,
// and how much of that still counts. The thread that makes progress writes it; roots that choose
// whom to serve (message/core/outstanding.hpp) read it, in any thread. Invariant: it is only a
// hint, as the status board is.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "lockfree/channel.hpp"

namespace baton::transport::network {

// A busy rank is taken to move this many bytes per ns until it is heard of again: 8 Gbit/s; guess.
inline constexpr std::int64_t believed_bytes_per_ns = 1;

// Returns what is left of a class that was told `ns` ago: the most bytes that it stands for, less
// what a rank of that speed has moved since. In the end nothing is known of the rank, which counts
// as idle.
constexpr lockfree::ChannelClass channel_class_after(lockfree::ChannelClass told, std::int64_t ns) {
  const std::int64_t moved = std::max(ns, std::int64_t{0}) * believed_bytes_per_ns;
  return lockfree::channel_class(lockfree::channel_class_limit(told) - moved);
}

// This is the last class that a rank has told, and when; at first nothing.
class HeardChannel {
 public:
  // `now()` gives the time in ns; it is called only where it matters.
  template <class Now>
  void hear(lockfree::ChannelClass told, Now now) {
    std::uint64_t word = std::min(told, lockfree::channel_class_max);
    if (told != lockfree::channel_idle) word |= static_cast<std::uint64_t>(now()) << class_bits;
    word_.store(word, std::memory_order_relaxed);  // relaxed: no other data is read because of it
  }
  template <class Now>
  lockfree::ChannelClass look(Now now) const {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);  // relaxed: as above
    const auto told = static_cast<lockfree::ChannelClass>(word & lockfree::channel_class_max);
    if (told == lockfree::channel_idle) return told;
    return channel_class_after(told, now() - static_cast<std::int64_t>(word >> class_bits));
  }

 private:
  static constexpr int class_bits = 4;
  static_assert(lockfree::channel_class_max == (1 << class_bits) - 1);
  std::atomic<std::uint64_t> word_{0};
};

}  // namespace baton::transport::network
