#include "machine/placement.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace baton::machine;

namespace {

CoreChoice cores(const std::string& words) {
  auto choice = read_core_choice(words);
  EXPECT_TRUE(choice.has_value()) << (choice ? "" : choice.error());
  return choice.value_or(CoreChoice{});
}

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

TEST(placement, ranks_that_are_to_have_cores_and_find_too_few_get_hardware_threads) {
  Placement plan = placed(built(1, 1, 2, 2), {.ranks = 4, .bind_to = Level::core});
  EXPECT_EQ(plan.bound_to, Level::hwthread);
  EXPECT_EQ(plan.ranks[1].cpus, std::vector{1});
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

TEST(placement, chosen_cores_are_all_that_a_job_takes) {
  Placement plan = placed(built(2, 1, 4, 1), {.cores = cores("package:1")});
  ASSERT_EQ(plan.ranks.size(), 4u);
  EXPECT_EQ(plan.ranks[0].cpus, std::vector{4});
  EXPECT_EQ(plan.cpus_usable, 4);
  EXPECT_EQ(plan.reason, "4 ranks on 4 cores of package 1");
}

TEST(placement, more_ranks_than_chosen_cores_stay_on_them_unbound) {
  Placement plan = placed(built(2, 1, 2, 1), {.ranks = 5, .cores = cores("package:1")});
  EXPECT_EQ(plan.bound_to, Level::machine);
  EXPECT_TRUE(plan.limited);
  EXPECT_EQ(plan.ranks[4].cpus, (std::vector{2, 3}));
  EXPECT_EQ(plan.reason, "not bound: 5 ranks on 2 usable CPUs of package 1");
  EXPECT_FALSE(placed(built(2, 1, 2, 1), {.ranks = 5}).limited);
  Placement asked =
      placed(built(2, 1, 2, 1), {.ranks = 2, .bind_to = Level::machine, .cores = cores("numa:1")});
  EXPECT_TRUE(asked.limited);
  EXPECT_EQ(asked.ranks[0].cpus, (std::vector{2, 3}));
}

TEST(placement, spread_ranks_are_dealt_out_over_memory_nodes_in_neighbors) {
  Placement plan = placed(built(2, 1, 4, 1), {.ranks = 4, .cores = cores("spread:2")});
  std::vector<int> nodes;
  for (const PlannedRank& rank : plan.ranks) nodes.push_back(rank.common.numa_node);
  EXPECT_EQ(nodes, (std::vector{0, 0, 1, 1}));
  Placement two = placed(built(4, 1, 4, 1), {.ranks = 4, .cores = cores("spread:2")});
  EXPECT_EQ(two.ranks[3].common.numa_node, 1);
  Placement dealt =
      placed(built(2, 1, 4, 1), {.ranks = 4, .map_by = Level::numa, .cores = cores("spread")});
  EXPECT_EQ(dealt.ranks[1].common.numa_node, 1);
}

TEST(placement, ranks_take_listed_cpus_in_the_order_of_the_list) {
  Placement plan = placed(built(1, 1, 4, 2), {.ranks = 3, .cores = cores("3,1,6")});
  EXPECT_EQ(plan.ranks[0].cpus, std::vector{3});
  EXPECT_EQ(plan.ranks[1].cpus, std::vector{1});
  EXPECT_EQ(plan.ranks[2].cpus, std::vector{6});
}

TEST(placement, a_core_that_a_list_names_twice_counts_once) {
  Placement plan = placed(built(1, 1, 2, 2), {.cores = cores("0,1,2,3")});
  ASSERT_EQ(plan.ranks.size(), 2u);
  EXPECT_EQ(plan.bound_to, Level::hwthread);
  EXPECT_EQ(plan.ranks[1].cpus, std::vector{1});
}

TEST(placement, a_list_that_splits_a_core_gives_hardware_threads) {
  Placement plan = placed(built(1, 1, 2, 2), {.ranks = 4, .cores = cores("0,1,2,3")});
  EXPECT_EQ(plan.bound_to, Level::hwthread);
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(plan.ranks[rank].cpus, std::vector{rank});
}

TEST(placement, what_the_machine_does_not_have_is_named_with_what_it_has) {
  Machine machine = built(2, 1, 4, 1);
  auto plan = place(machine, {.cores = cores("package:2")});
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error(), "there is no usable package 2; there are 0-1");
  EXPECT_EQ(place(machine, {.cores = cores("spread:3")}).error(),
            "spread:3: this machine has 2 NUMA nodes with usable CPUs");
  EXPECT_EQ(place(machine, {.cores = cores("8")}).error(),
            "there is no usable CPU 8; there are 0-7");
}

TEST(placement, a_ranks_threads_lie_in_one_cache_where_they_fit) {
  // Two L3 of three cores: two ranks of two threads take one each, not cores 2 and 3.
  Placement plan = placed(built(2, 1, 3, 1), {.ranks = 2, .width = 2});
  EXPECT_EQ(plan.ranks[0].common.l3, 0);
  EXPECT_EQ(plan.ranks[1].common.l3, 1);
  EXPECT_TRUE(plan.warnings.empty());
}

TEST(placement, of_what_has_enough_cores_a_rank_takes_the_smallest) {
  // Four cores, two in each object of one level; the first may not be used.
  for (auto level : {&Cpu::l2, &Cpu::l3, &Cpu::numa_node, &Cpu::package}) {
    Machine machine;
    for (int core = 1; core < 4; ++core) {
      Cpu cpu{.os = core, .core = core};
      cpu.*level = core / 2;
      machine.cpus.push_back(cpu);
    }
    Placement plan = placed(machine, {.ranks = 1, .width = 2});
    EXPECT_EQ(plan.ranks[0].cpus, (std::vector{2, 3}));
    EXPECT_TRUE(plan.limited);
    EXPECT_TRUE(plan.warnings.empty()) << "there are no two NUMA nodes";
  }
}

TEST(placement, a_rank_stays_in_the_object_it_is_mapped_to_also_across_caches) {
  // Package 0 has two cores in different L3s, package 1 two in one.
  Machine machine;
  for (int core = 0; core < 4; ++core)
    machine.cpus.push_back(
        {.os = core, .core = core, .l3 = core < 2 ? core : 2, .package = core / 2});
  Placement plan = placed(machine, {.ranks = 2, .width = 2, .map_by = Level::package});
  EXPECT_EQ(plan.ranks[0].cpus, (std::vector{0, 1}));
  EXPECT_EQ(plan.ranks[1].cpus, (std::vector{2, 3}));
}

TEST(placement, threads_that_must_lie_apart_are_told_of) {
  Placement plan = placed(built(2, 1, 3, 1), {.ranks = 3, .width = 2});
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_NE(plan.warnings[0].find("rank 2 has CPUs of several NUMA nodes"), std::string::npos);
}

TEST(placement, a_master_has_a_core_that_splits_no_cache) {
  // Two L3 of five cores: workers of four threads, and the master beside one of them.
  Placement plan = placed(built(2, 1, 5, 1), {.ranks = 3, .width = 4, .master = true});
  EXPECT_EQ(plan.reason, "1 master and 2 ranks of 4 threads on 10 cores");
  EXPECT_EQ(plan.ranks[0].cpus, std::vector{4});
  EXPECT_EQ(plan.ranks[0].threads, 1);
  EXPECT_EQ(plan.ranks[1].cpus, (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(plan.ranks[2].cpus, (std::vector{5, 6, 7, 8}));
  EXPECT_EQ(plan.ranks[2].threads, 4);
}
