// Which ranks of a job are near each other, for machines that nobody here has.
#include "launch/run/near_classes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/traffic.hpp"
#include "platform/cpu.hpp"

using baton::NearRanks;
using baton::PeerClass;
using baton::launch::near_classes;
using Places = std::vector<baton::lockfree::RankPlace>;

namespace {

constexpr std::uint32_t bit(PeerClass peers) {
  return 1u << static_cast<int>(peers);
}

// A rank on a core of its own. Two cores share an L2, eight an L3, 64 a NUMA node.
baton::lockfree::RankPlace at(std::int32_t core) {
  return {core, 1, core / 64, core / 64, core / 2, core / 8, core};
}

// The time between two of these cores: near within an L3.
double as_chiplets(int one, int other) {
  return one / 2 == other / 2 ? 20 : one / 8 == other / 8 ? 30 : one / 64 == other / 64 ? 120 : 300;
}

TEST(near_classes, are_those_whose_lines_take_little_time) {
  Places all;
  for (std::int32_t core = 0; core < 128; ++core) all.push_back(at(core));
  EXPECT_EQ(near_classes(NearRanks::measured, all, as_chiplets),
            bit(PeerClass::l2) | bit(PeerClass::l3));
  EXPECT_EQ(near_classes(NearRanks::measured, all, [](int, int) { return 71; }), 0u);
}

TEST(near_classes, are_measured_by_one_pair_each) {
  Places all;
  for (std::int32_t core = 0; core < 128; ++core) all.push_back(at(core));
  int measured = 0;
  (void)near_classes(NearRanks::measured, all, [&](int one, int other) {
    EXPECT_NE(one, other);
    ++measured;
    return 100;
  });
  EXPECT_EQ(measured, 4);
}

TEST(near_classes, are_none_where_it_is_not_known_where_ranks_run) {
  Places unbound(4, {0, 128, -1, -1, -1, -1, -1}), one_core(4, at(0)), two{at(0), at(1)};
  auto any = [](int, int) { return 10; };
  EXPECT_EQ(near_classes(NearRanks::measured, unbound, any), 0u);
  EXPECT_EQ(near_classes(NearRanks::measured, one_core, any), 0u);
  EXPECT_EQ(near_classes(NearRanks::measured, two, any), bit(PeerClass::l2));
  EXPECT_EQ(near_classes(NearRanks::measured, two, [](int, int) { return -1; }), 0u);
  EXPECT_EQ(near_classes(NearRanks::measured, Places{at(0)}, any), 0u);
}

TEST(near_classes, are_what_the_user_says) {
  const Places two{at(0), at(1)};
  auto never = [](int, int) -> double {
    ADD_FAILURE() << "nobody wants to know";
    return 10;
  };
  const std::uint32_t l2 = bit(PeerClass::self) | bit(PeerClass::l2), l3 = l2 | bit(PeerClass::l3);
  EXPECT_EQ(near_classes(NearRanks::none, two, never), 0u);
  EXPECT_EQ(near_classes(NearRanks::l2, two, never), l2);
  EXPECT_EQ(near_classes(NearRanks::l3, two, never), l3);
  EXPECT_EQ(near_classes(NearRanks::numa_node, two, never), l3 | bit(PeerClass::numa_node));
}

TEST(near_classes, are_not_measured_unasked_where_cpus_move) {
  bool looked = false;
  (void)near_classes(NearRanks::automatic, Places{at(0), at(1)}, [&](int, int) {
    looked = true;
    return 10;
  });
  EXPECT_NE(looked, baton::platform::is_virtual_machine());
}

}  // namespace
