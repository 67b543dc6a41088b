#include "machine/configuration.hpp"

#include <gtest/gtest.h>

#include "machine/placement.hpp"

using namespace baton::machine;

namespace {

// `nodes` NUMA nodes of so many cores, numbered from 1 on to be no indices.
Machine built(int nodes, int cores) {
  Machine machine;
  for (int core = 0; core < nodes * cores; ++core) {
    const int node = core / cores;
    machine.cpus.push_back({core, core, core, node, node + 1, node});
  }
  machine.cpus_present = nodes * cores;
  return machine;
}

// The NUMA node of each rank.
std::vector<int> nodes_of(const Machine& machine, const Configuration& configuration) {
  auto placement = place(machine, {.ranks = configuration.ranks, .cores = configuration.cores});
  EXPECT_TRUE(placement.has_value()) << (placement ? "" : placement.error());
  std::vector<int> nodes;
  for (const PlannedRank& rank : placement->ranks) nodes.push_back(rank.common.numa_node);
  return nodes;
}

struct Expected {
  const char* name;
  std::vector<int> nodes;
  const char* memory;
};

}  // namespace

TEST(configuration, the_five_of_the_study_on_two_nodes) {
  const Machine machine = built(2, 4);
  for (const Expected& one : {Expected{"local", {1, 1, 1, 1}, "all=near"},
                              {"interleave", {1, 1, 1, 1}, "all=interleave"},
                              {"spread", {1, 1, 2, 2}, "all=node:1"},
                              {"spread-interleave", {1, 1, 2, 2}, "all=interleave"},
                              {"remote", {1, 1, 1, 1}, "all=remote"}}) {
    auto found = configure(machine, one.name, 0, 1);
    ASSERT_TRUE(found.has_value()) << one.name;
    EXPECT_EQ(nodes_of(machine, *found), one.nodes) << one.name;
    EXPECT_EQ(found->memory, one.memory);
  }
}

TEST(configuration, ranks_beyond_a_node_take_as_few_nodes_as_hold_them) {
  const Machine machine = built(4, 2);
  EXPECT_EQ(nodes_of(machine, *configure(machine, "local", 3, 1)), (std::vector{1, 1, 2}));
  EXPECT_EQ(nodes_of(machine, *configure(machine, "spread", 4, 1)), (std::vector{1, 2, 3, 4}));
  EXPECT_EQ(configure(machine, "local", 3, 2)->cores.numbers, (std::vector{1, 2, 3}));
  EXPECT_EQ(configure(machine, "local", 99, 1)->cores.numbers, (std::vector{1, 2, 3, 4}));
}

TEST(configuration, threads_count_when_the_ranks_are_not_said) {
  EXPECT_EQ(configure(built(2, 4), "spread", 0, 2)->ranks, 2);
  EXPECT_EQ(configure(built(2, 4), "spread", 0, 8)->ranks, 1);
}

TEST(configuration, without_memory_nodes_there_is_nothing_to_choose) {
  Machine machine = built(1, 2);
  for (Cpu& cpu : machine.cpus) cpu.numa_node = -1;
  auto found = configure(machine, "local", 1, 1);
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().find("tells of no NUMA nodes"), std::string::npos);
}

TEST(configuration, an_unknown_name_is_told_with_the_known_ones) {
  auto found = configure(built(2, 4), "locl", 0, 1);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error(),
            "\"locl\" is none; there are local, interleave, spread, spread-interleave and remote");
}
