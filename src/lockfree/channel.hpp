// The status board shows to other ranks how much a rank's channel still has to do: the bytes of
// long messages that it sends, receives or copies, as a size class. The rank writes it when the
// class changes (message/core/outstanding.hpp), and roots that choose whom to serve read it
// (collective/serving.hpp). Invariant: it is a hint. A reader must be correct with any value.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::lockfree {

// Class 0 is idle: up to 4 KiB. Class n is up to 4 KiB times the n-th power of four.
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
// Returns the most bytes for which a class stands; the last class has no limit.
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
  // relaxed: as above; an old value leads to a worse order at most.
  return std::min(line.outstanding.load(std::memory_order_relaxed), channel_class_max);
}

}  // namespace baton::lockfree
