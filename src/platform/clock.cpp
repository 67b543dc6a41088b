#include "platform/clock.hpp"

#include <atomic>

namespace baton::platform {

namespace {

struct Moment {
  std::int64_t ns = now_ns(), ticks = now_ticks();
};

}  // namespace

std::int64_t ticks_per_us() {
  constexpr std::int64_t enough_ns = 100000;  // reading both clocks takes some 50 ns
  static const Moment start;
  static std::atomic<std::int64_t> known = 0;
  // relaxed: whoever finds it finds the same, but for some permille.
  if (std::int64_t ticks = known.load(std::memory_order_relaxed)) return ticks;
  const Moment now;
  if (now.ns - start.ns < enough_ns) return 0;
  const std::int64_t ticks = (now.ticks - start.ticks) * 1000 / (now.ns - start.ns);
  known.store(ticks, std::memory_order_relaxed);  // relaxed: as above
  return ticks;
}

}  // namespace baton::platform
