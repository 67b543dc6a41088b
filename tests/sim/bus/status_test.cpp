#include "sim/bus/status.hpp"

#include <gtest/gtest.h>

namespace baton::bus {
namespace {

TEST(bytes_left, run_out_by_four_a_cycle) {
  Channel channel{.left = 10, .earlier = 100};
  EXPECT_EQ(left_at(channel, 0), 10u);
  EXPECT_EQ(left_at(channel, 2), 2u);
  EXPECT_EQ(left_at(channel, 3), 0u);
  EXPECT_EQ(idle_from(channel), 3u);
  EXPECT_EQ(left_at(channel, ~Cycles{0}), 0u);
}

TEST(a_right_entry, tells_the_truth) {
  Channel channel{.left = 10, .earlier = 100};
  StatusEntry entry = told(7, channel, {}, 1);
  EXPECT_EQ(entry.node, 7);
  EXPECT_FALSE(entry.idle);
  EXPECT_EQ(entry.left, 6u);
  EXPECT_TRUE(told(7, channel, {}, 3).idle);
}

TEST(a_wrong_entry, tells_the_contrary) {
  Flaw wrong{.wrong = true, .claimed = 64};
  StatusEntry entry = told(1, Channel{}, wrong, 0);
  EXPECT_FALSE(entry.idle);
  EXPECT_EQ(entry.left, 64u);
  EXPECT_TRUE(told(1, {.left = 8, .earlier = 8}, wrong, 0).idle);
  EXPECT_FALSE(told(1, Channel{}, {.wrong = true, .claimed = 0}, 0).left == 0)
      << "never busy with nothing";
}

TEST(an_old_entry, tells_what_was) {
  Channel channel{.left = 40, .earlier = 100};  // began 15 cycles before
  Flaw old{.age = 10};
  EXPECT_EQ(told(1, channel, old, 0).left, 80u);
  EXPECT_EQ(told(1, channel, old, 4).left, 64u);
  EXPECT_EQ(told(1, channel, old, 12).left, 32u);
  EXPECT_TRUE(told(1, channel, old, 20).idle);
  EXPECT_EQ(told(1, channel, {.age = 15}, 0).left, 100u);
  EXPECT_TRUE(told(1, channel, {.age = 16}, 0).idle) << "its earlier transfer had not begun";
  EXPECT_TRUE(told(1, Channel{}, old, 0).idle);
}

TEST(who_never_becomes_idle, is_told_as_last) {
  Channel never{.condition = Condition::never};
  EXPECT_FALSE(told(1, never, {.age = 50}, 5).idle);
  EXPECT_EQ(told(1, never, {}, 5).left, unknown_left);
}

TEST(a_coarse_entry, keeps_what_is_idle_and_what_nobody_can_say) {
  for (Detail detail : {Detail::bytes, Detail::classes, Detail::idle_only}) {
    EXPECT_TRUE(coarse({1, true, 0}, detail).idle);
    EXPECT_EQ(coarse({1, false, unknown_left}, detail).left, unknown_left);
  }
  EXPECT_EQ(coarse({1, false, 12}, Detail::bytes).left, 12u);
  EXPECT_EQ(coarse({1, false, 12}, Detail::classes).left, 16u);
  EXPECT_EQ(coarse({1, false, 16}, Detail::classes).left, 16u);
  EXPECT_EQ(coarse({1, false, 12}, Detail::idle_only).left,
            coarse({1, false, 4}, Detail::idle_only).left);
}

}  // namespace
}  // namespace baton::bus
