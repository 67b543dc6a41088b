#include "sim/bus/draw.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace baton::bus {
namespace {

auto busy_count(const std::vector<Channel>& channels) {
  return std::ranges::count_if(channels, [](const Channel& channel) { return channel.left > 0; });
}

TEST(dice, fall_alike_on_every_machine) {
  Dice dice(0);  // the generator's published first numbers
  EXPECT_EQ(dice.next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(dice.next(), 0x6e789e6aa1b965f4u);
}

TEST(a_share, makes_exactly_so_many_busy_and_never_a_root) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto channels = draw_channels(32, {0, 9}, {.idle_share = 0.7, .earlier = 32, .seed = seed});
    EXPECT_EQ(busy_count(channels), 9);
    EXPECT_EQ(channels[0], Channel{});
    EXPECT_EQ(channels[9], Channel{});
  }
  EXPECT_EQ(busy_count(draw_channels(8, {0}, {.idle_share = 0})), 7);
  EXPECT_EQ(busy_count(draw_channels(8, {0}, {.idle_share = 1})), 0);
}

TEST(a_count, is_kept_as_far_as_there_are_nodes) {
  EXPECT_EQ(busy_count(draw_channels(32, {0}, {.busy = Busy::count, .busy_count = 6})), 6);
  EXPECT_EQ(busy_count(draw_channels(4, {0}, {.busy = Busy::count, .busy_count = 6})), 3);
}

TEST(what_is_left, is_whole_or_between_four_bytes_and_all) {
  Bytes least = ~Bytes{0}, most = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const Channel& channel :
         draw_channels(32, {0}, {.idle_share = 0, .earlier = 32, .seed = seed}))
      EXPECT_TRUE(channel.left == 32 || channel == Channel{});
    auto drawn =
        draw_channels(32, {0}, {.idle_share = 0, .left = Left::drawn, .earlier = 32, .seed = seed});
    for (std::size_t node = 1; node < drawn.size(); ++node) {
      least = std::min(least, drawn[node].left);
      most = std::max(most, drawn[node].left);
    }
  }
  EXPECT_EQ(least, 4u);
  EXPECT_EQ(most, 32u);
}

TEST(a_seed, draws_the_same_and_another_something_else) {
  Draw how{.busy = Busy::each, .left = Left::drawn, .seed = 4};
  auto first = draw_channels(64, {0}, how);
  EXPECT_EQ(first, draw_channels(64, {0}, how));
  how.seed = 5;
  EXPECT_NE(first, draw_channels(64, {0}, how));
  EXPECT_EQ(draw_flaws(64, 0.5, 9, 64, 4), draw_flaws(64, 0.5, 9, 64, 4));
  EXPECT_NE(draw_flaws(64, 0.5, 9, 64, 4), draw_flaws(64, 0.5, 9, 64, 5));
}

TEST(flaws, are_as_many_as_asked_for) {
  EXPECT_TRUE(draw_flaws(32, 0, 0, 64, 1).empty());
  for (double share : {0.25, 1.0}) {
    auto flaws = draw_flaws(32, share, 10, 64, 1);
    EXPECT_EQ(std::ranges::count(flaws, true, &Flaw::wrong), static_cast<int>(32 * share));
    for (const Flaw& flaw : flaws) EXPECT_LE(flaw.age, 10u);
  }
}

}  // namespace
}  // namespace baton::bus
