#include "machine/placement.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace baton::machine;

namespace {

// `packages` x `numa` x `cores` x `threads`, numbered as Linux does: second threads come last.
Machine built(int packages, int numa, int cores, int threads) {
  Machine machine;
  int all_cores = packages * numa * cores;
  for (int core = 0; core < all_cores; ++core)
    for (int thread = 0; thread < threads; ++thread) {
      Cpu cpu;
      cpu.os = core + thread * all_cores;
      cpu.core = core;
      cpu.l2 = core;
      cpu.numa_node = core / cores;
      cpu.l3 = cpu.numa_node;
      cpu.package = cpu.numa_node / numa;
      machine.cpus.push_back(cpu);
    }
  machine.cpus_present = all_cores * threads;
  return machine;
}

Placement placed(const Machine& machine, const PlacementPolicy& policy) {
  auto placement = place(machine, policy);
  EXPECT_TRUE(placement.has_value()) << (placement ? "" : placement.error());
  return placement ? *placement : Placement{};
}

}  // namespace

TEST(placement, ranks_fill_cores_in_order) {
  Placement plan = placed(built(2, 1, 4, 1), {.ranks = 3});
  ASSERT_EQ(plan.ranks.size(), 3u);
  EXPECT_EQ(plan.bound_to, Level::core);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(plan.ranks[rank].cpus, std::vector{rank});
}

TEST(placement, without_a_number_every_core_gets_a_rank) {
  EXPECT_EQ(placed(built(2, 1, 4, 2), {}).ranks.size(), 8u);
  EXPECT_EQ(placed(built(2, 1, 4, 2), {.width = 4}).ranks.size(), 2u);
}

TEST(placement, a_core_keeps_both_its_threads) {
  Placement plan = placed(built(1, 1, 4, 2), {.ranks = 4});
  EXPECT_EQ(plan.ranks[1].cpus, (std::vector{1, 5}));
  EXPECT_EQ(plan.ranks[1].common.core, 1);
}

TEST(placement, more_ranks_than_cores_take_threads) {
  Placement plan = placed(built(1, 1, 4, 2), {.ranks = 8});
  EXPECT_EQ(plan.bound_to, Level::hwthread);
  std::set<int> used;
  for (const PlannedRank& rank : plan.ranks) {
    ASSERT_EQ(rank.cpus.size(), 1u);
    used.insert(rank.cpus[0]);
  }
  EXPECT_EQ(used.size(), 8u);
}

TEST(placement, more_ranks_than_cpus_are_not_bound) {
  Placement plan = placed(built(1, 1, 2, 1), {.ranks = 5});
  EXPECT_EQ(plan.bound_to, Level::machine);
  for (const PlannedRank& rank : plan.ranks) EXPECT_EQ(rank.cpus, (std::vector{0, 1}));
}

TEST(placement, a_quota_below_the_ranks_leaves_them_unbound) {
  Machine machine = built(1, 1, 8, 1);
  machine.quota_cpus = 2.0;
  EXPECT_EQ(placed(machine, {.ranks = 4}).bound_to, Level::machine);
  EXPECT_EQ(placed(machine, {.ranks = 2}).bound_to, Level::core);
  EXPECT_EQ(placed(machine, {}).ranks.size(), 2u);
}

TEST(placement, mapping_by_memory_node_deals_ranks_out) {
  Placement plan = placed(built(2, 2, 2, 1), {.ranks = 6, .map_by = Level::numa});
  std::vector<int> nodes;
  for (const PlannedRank& rank : plan.ranks) nodes.push_back(rank.common.numa_node);
  EXPECT_EQ(nodes, (std::vector{0, 1, 2, 3, 0, 1}));
}

TEST(placement, a_full_object_passes_its_rank_on) {
  Machine machine = built(2, 1, 3, 1);
  machine.cpus.erase(machine.cpus.begin(),
                     machine.cpus.begin() + 2);  // package 0 has one core left
  Placement plan = placed(machine, {.ranks = 4, .map_by = Level::package});
  std::set<int> used;
  for (const PlannedRank& rank : plan.ranks) used.insert(rank.cpus.at(0));
  EXPECT_EQ(used, (std::set{2, 3, 4, 5}));
}

TEST(placement, a_wide_rank_gets_as_many_cores) {
  Placement plan = placed(built(2, 1, 4, 2), {.ranks = 2, .width = 4, .map_by = Level::package});
  EXPECT_EQ(plan.ranks[0].cpus, (std::vector{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(plan.ranks[1].common.package, 1);
}

TEST(placement, binding_to_a_larger_object_gives_all_of_it) {
  Placement plan = placed(built(2, 1, 4, 1), {.ranks = 2, .bind_to = Level::package});
  EXPECT_EQ(plan.ranks[1].cpus, (std::vector{0, 1, 2, 3}));
}

TEST(placement, a_binding_that_cannot_be_is_refused_with_the_remedy) {
  auto plan = place(built(1, 1, 2, 1), {.ranks = 3, .bind_to = Level::core});
  ASSERT_FALSE(plan.has_value());
  EXPECT_NE(plan.error().find("--bind-to none"), std::string::npos);
}

TEST(placement, no_two_bound_ranks_share_a_cpu) {
  for (int ranks = 1; ranks <= 16; ++ranks)
    for (Level level : {Level::core, Level::l3, Level::numa, Level::package}) {
      Placement plan = placed(built(2, 2, 2, 2), {.ranks = ranks, .map_by = level});
      std::set<int> used;
      std::size_t total = 0;
      for (const PlannedRank& rank : plan.ranks) {
        used.insert(rank.cpus.begin(), rank.cpus.end());
        total += rank.cpus.size();
      }
      EXPECT_EQ(used.size(), total) << ranks << " by " << level_name(level);
    }
}
