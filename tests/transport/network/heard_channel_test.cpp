#include "transport/network/heard_channel.hpp"

#include <gtest/gtest.h>

namespace baton::transport::network {
namespace {

using lockfree::channel_class_limit;
using lockfree::channel_class_max;
using lockfree::channel_idle;
using lockfree::ChannelClass;

constexpr std::int64_t ms = 1000000;

auto at(std::int64_t ns) {
  return [ns] { return ns; };
}
auto never() {
  return []() -> std::int64_t {
    ADD_FAILURE() << "the time is asked for";
    return 0;
  };
}

TEST(heard_channel, a_class_counts_in_full_when_it_is_told) {
  for (ChannelClass told = 0; told <= channel_class_max; ++told)
    EXPECT_EQ(channel_class_after(told, 0), told);
}

TEST(heard_channel, less_is_left_with_time_and_in_the_end_nothing) {
  for (ChannelClass told = 0; told <= channel_class_max; ++told) {
    const std::int64_t whole = channel_class_limit(told) / believed_bytes_per_ns;
    ChannelClass before = told;
    for (int part = 1; part <= 16; ++part) {
      const ChannelClass left = channel_class_after(told, whole / 16 * part);
      EXPECT_LE(left, before);
      before = left;
    }
    EXPECT_EQ(before, channel_idle);
    EXPECT_EQ(channel_class_after(told, INT64_MAX / 2), channel_idle);
  }
  // 64 MiB: three quarters are gone after 50 ms, all after 67.
  EXPECT_EQ(channel_class_after(7, 10 * ms), 7);
  EXPECT_EQ(channel_class_after(7, 55 * ms), 6);
  EXPECT_EQ(channel_class_after(7, 68 * ms), channel_idle);
}

TEST(heard_channel, a_clock_that_seems_to_go_back_makes_nobody_busier) {
  EXPECT_EQ(channel_class_after(3, -5), 3);
}

TEST(heard_channel, who_was_never_heard_or_is_idle_costs_no_look_at_the_clock) {
  HeardChannel heard;
  EXPECT_EQ(heard.look(never()), channel_idle);
  heard.hear(channel_idle, never());
  EXPECT_EQ(heard.look(never()), channel_idle);
}

TEST(heard_channel, the_latest_counts_with_its_age) {
  HeardChannel heard;
  const std::int64_t now = std::int64_t{1} << 58;  // nine years after the machine's start
  heard.hear(9, at(now));
  EXPECT_EQ(heard.look(at(now)), 9);
  heard.hear(2, at(now + 5 * ms));
  EXPECT_EQ(heard.look(at(now + 5 * ms)), 2);
  EXPECT_EQ(heard.look(at(now + 6 * ms)), channel_idle);
  heard.hear(channel_class_max, at(now + 7 * ms));
  EXPECT_EQ(heard.look(at(now + 1000 * ms)), channel_class_max);
  heard.hear(channel_idle, never());
  EXPECT_EQ(heard.look(never()), channel_idle);
}

TEST(heard_channel, what_is_no_class_is_the_highest) {
  HeardChannel heard;
  heard.hear(200, at(0));
  EXPECT_EQ(heard.look(at(0)), channel_class_max);
}

}  // namespace
}  // namespace baton::transport::network
