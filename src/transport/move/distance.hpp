// How far another process runs from this one (base/distance.hpp), by lines of it that this one
// reads. Virtual CPUs move, so that it changes within seconds. What is observed of ways to move
// bytes is kept by distance.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/distance.hpp"
#include "platform/clock.hpp"
#include "platform/lock.hpp"

namespace baton::transport {

// Threads that time lines at once may lose one's time for the other's.
class DistanceEstimate {
 public:
  // Returns whether the next line is to be timed: few are, since it delays what follows.
  bool is_due() {
    constexpr std::uint8_t every = 16;  // guess
    const auto turn = static_cast<std::uint8_t>(platform::load_shared(turn_) + 1);
    platform::store_shared(turn_, turn);
    return turn % every == 0;
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
    if (ticks_per_us == 0) return;
    const std::int64_t ns = std::min<std::int64_t>(ticks * 1000 / ticks_per_us, 2000);
    // Noise only adds.
    const std::int32_t mean = platform::load_shared(mean_ns_);
    const auto next = static_cast<std::int32_t>(mean + (ns - mean) / (ns < mean ? 2 : 8));
    platform::store_shared(mean_ns_, next);
    if (next < near_below_ns) platform::store_shared(now_, Distance::near);
    if (next >= far_from_ns) platform::store_shared(now_, Distance::far);
  }
  Distance now() const { return platform::load_shared(now_); }

 private:
  std::int32_t mean_ns_ = 100;  // most pairs of a large machine are far
  std::uint8_t turn_ = 0;
  Distance now_ = Distance::far;
};

}  // namespace baton::transport
