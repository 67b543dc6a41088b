#include "machine/beside.hpp"

#include <gtest/gtest.h>

namespace {

using namespace baton::machine;

// `cores` with two hardware threads each.
Machine built(int cores) {
  Machine machine;
  for (int core = 0; core < cores; ++core)
    for (int thread = 0; thread < 2; ++thread) {
      Cpu cpu;
      cpu.os = core + thread * cores;
      cpu.core = core;
      machine.cpus.push_back(cpu);
    }
  machine.cpus_present = 2 * cores;
  return machine;
}

Placement placed(const PlacementPolicy& policy, const std::vector<int>& by_jobs) {
  auto placement = place_beside(built(4), policy, by_jobs);
  EXPECT_TRUE(placement.has_value()) << (placement ? "" : placement.error());
  return placement ? *placement : Placement{};
}

TEST(beside, with_nothing_else_ranks_go_as_ever) {
  EXPECT_EQ(placed({.ranks = 2}, {}).reason, place(built(4), {.ranks = 2})->reason);
}

TEST(beside, cores_of_other_jobs_are_left_alone_whole) {
  const Placement plan = placed({.ranks = 2}, {0, 5});
  ASSERT_TRUE(plan.limited);
  EXPECT_EQ(plan.ranks[0].cpus, (std::vector{2, 6}));
  EXPECT_EQ(plan.ranks[1].cpus, (std::vector{3, 7}));
  EXPECT_NE(plan.reason.find("other jobs have CPUs 0,5"), std::string::npos);
}

TEST(beside, where_too_few_are_left_nobody_is_bound_and_ranks_are_polite) {
  const Placement plan = placed({.ranks = 3}, {0, 1});
  EXPECT_FALSE(plan.limited);
  EXPECT_EQ(plan.cpus_usable, 4);  // threads of the free cores
  EXPECT_NE(plan.reason.find("not bound: other jobs have CPUs 0-1"), std::string::npos);
  EXPECT_EQ(placed({.ranks = 1}, {0, 1, 2, 3}).cpus_usable, 1);
}

TEST(beside, how_many_ranks_does_not_depend_on_others) {
  EXPECT_EQ(placed({}, {0}).ranks.size(), 4u);
}

TEST(beside, what_was_asked_for_in_particular_is_done) {
  const std::vector<int> all{0, 1, 2, 3};
  EXPECT_TRUE(placed({.ranks = 2, .bind_to = Level::core}, all).limited);
  EXPECT_TRUE(placed({.ranks = 1, .cores = *read_core_choice("0")}, all).limited);
}

TEST(beside, ranks_asked_to_be_bound_are_on_free_cores_where_there_are_enough) {
  const Placement plan = placed({.ranks = 1, .bind_to = Level::core}, {0});
  ASSERT_TRUE(plan.limited);
  EXPECT_EQ(plan.ranks[0].cpus, (std::vector{1, 5}));
}

}  // namespace
