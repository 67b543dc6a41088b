// How long a tick is.
#include "platform/clock.hpp"

#include <gtest/gtest.h>

namespace baton::platform {
namespace {

TEST(clock, knows_after_a_while_how_many_ticks_a_microsecond_has) {
  const std::int64_t ns = now_ns(), ticks = now_ticks();
  while (ticks_per_us() == 0) {
    ASSERT_LT(now_ns() - ns, 1000000000);
  }
  while (now_ns() - ns < 5000000) continue;
  const std::int64_t elapsed_ns = now_ns() - ns,
                     expected = (now_ticks() - ticks) * 1000 / elapsed_ns;
  EXPECT_NEAR(static_cast<double>(ticks_per_us()), static_cast<double>(expected),
              static_cast<double>(expected) / 5);
  EXPECT_EQ(ticks_per_us(), ticks_per_us());
}

}  // namespace
}  // namespace baton::platform
