// How much a rank's channel still has to do, on the status board for others to see: bytes of long
// messages that it sends, receives or copies, as a size class. Written when the class changes
// (message/core/outstanding.hpp), read by roots that choose whom to serve (collective/serving.hpp).
// Invariant: a hint. Whoever reads it must be right with any value.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::lockfree {

// Class 0, idle: up to 4 KiB; n: up to 4 KiB times the n-th power of four.
using ChannelClass = std::uint8_t;
inline constexpr ChannelClass channel_idle = 0;
inline constexpr ChannelClass channel_class_max = 15;
inline constexpr std::int64_t channel_idle_bytes_max = 4096;

constexpr ChannelClass channel_class(std::int64_t bytes) {
  if (bytes <= channel_idle_bytes_max) return channel_idle;
  const int power =
      std::bit_width(static_cast<std::uint64_t>((bytes - 1) / channel_idle_bytes_max));
  return static_cast<ChannelClass>(std::min<int>((power + 1) / 2, channel_class_max));
}
// The most that a class stands for; the last has no end.
constexpr std::int64_t channel_class_limit(ChannelClass size) {
  return channel_idle_bytes_max << (2 * size);
}
static_assert(channel_class(0) == 0 && channel_class(4096) == 0 && channel_class(4097) == 1);
static_assert(channel_class(16384) == 1 && channel_class(16385) == 2);
static_assert(channel_class(channel_class_limit(7)) == 7 && channel_class(1LL << 62) == 15);

struct alignas(cache_line_bytes) ChannelLine {  // written by the rank, when the class changes
  std::atomic<ChannelClass> outstanding;
};
static_assert(sizeof(ChannelLine) == cache_line_bytes);

inline void publish_channel(ChannelLine& line, ChannelClass size) {
  // relaxed: nothing else is read because of it.
  line.outstanding.store(size, std::memory_order_relaxed);
}
inline ChannelClass look_at_channel(const ChannelLine& line) {
  // relaxed: as above; at most a worse order.
  return std::min(line.outstanding.load(std::memory_order_relaxed), channel_class_max);
}

}  // namespace baton::lockfree
