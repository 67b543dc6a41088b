// How far another process runs from this one, by the time that a cache line takes which it has just
// written: near (one cluster of cores, some 30 ns) or far (another chiplet or socket, 100 ns and
// more). Virtual CPUs move, so that it changes within seconds. What is observed of ways to move
// bytes is kept by distance.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "platform/clock.hpp"

namespace baton::transport {

enum class Distance : std::uint8_t { near, far };
inline constexpr int distance_count = 2;

class DistanceEstimate {
 public:
  // Returns whether the next line is to be timed: few are, since it delays what follows.
  bool is_due() {
    constexpr std::uint8_t every = 16;  // guess
    return ++turn_ % every == 0;
  }
  // Reads a line that the other process has just written, and notes how long that took.
  void time(const void* line) {
    const std::int64_t start = platform::now_ticks();
    // relaxed: only the time matters.
    (void)static_cast<const std::atomic<char>*>(line)->load(std::memory_order_relaxed);
    platform::finish_loads();
    saw(platform::now_ticks() - start, platform::ticks_per_us());
  }
  // Notes the time of a line, in ticks of which a microsecond has so many (0: not known yet).
  void saw(std::int64_t ticks, std::int64_t ticks_per_us) {
    // Between the two nothing changes.
    constexpr std::int64_t near_below_ns = 70, far_from_ns = 90;
    if (ticks_per_us == 0) return;
    const std::int64_t ns = std::min<std::int64_t>(ticks * 1000 / ticks_per_us, 2000);
    // Noise only adds.
    mean_ns_ += static_cast<std::int32_t>((ns - mean_ns_) / (ns < mean_ns_ ? 2 : 8));
    if (mean_ns_ < near_below_ns) now_ = Distance::near;
    if (mean_ns_ >= far_from_ns) now_ = Distance::far;
  }
  Distance now() const { return now_; }

 private:
  std::int32_t mean_ns_ = 100;  // most pairs of a large machine are far
  std::uint8_t turn_ = 0;
  Distance now_ = Distance::far;
};

}  // namespace baton::transport
