// Written expectations for machines made by hand; those of captured ones are in discover_test.cpp.
#include "machine/memory_plan.hpp"

#include <gtest/gtest.h>

using namespace baton;
using namespace baton::machine;

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

struct Kind {
  std::uint64_t bytes;
  std::uint64_t mib_per_second;  // from the CPUs near it; 0: the machine does not tell
  const char* kind;
};

// So many sockets of two CPUs, each with its own node, and a node without CPUs of `extra` near it:
// sockets' nodes are numbered first. Distances as firmware has them.
Machine sockets(int count, Kind own, const Kind* extra) {
  Machine machine;
  for (int cpu = 0; cpu < 2 * count; ++cpu)
    machine.cpus.push_back({.os = cpu, .core = cpu, .numa_node = cpu / 2, .package = cpu / 2});
  for (int os = 0; os < (extra ? 2 : 1) * count; ++os) {
    const Kind& kind = os < count ? own : *extra;
    MemoryNode node;
    node.os = os;
    node.bytes = kind.bytes;
    node.kind = kind.kind;
    node.has_cpus = os < count;
    for (int from = 0; from < count; ++from) {
      bool local = os % count == from;
      int distance = local ? (os < count ? 10 : 13) : (os < count ? 21 : 23);
      node.paths.push_back({from, local, local ? kind.mib_per_second : 0, 0, distance});
    }
    machine.memory.push_back(node);
  }
  judge_tiers(machine);
  return machine;
}

constexpr Kind dram{64 * gib, 128000, ""};
constexpr Kind unmeasured_dram{64 * gib, 0, "DRAM"};
constexpr Kind measured_fast{16 * gib, 384000, ""};
constexpr Kind hbm{16 * gib, 0, "HBM"};
constexpr Kind cxl{256 * gib, 30000, ""};
constexpr Kind unknown_extra{256 * gib, 0, ""};

PlannedMemory planned(const Machine& machine, int home, MemoryPlace place) {
  auto plan = plan_memory(machine, home, place);
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error());
  return plan.value_or(PlannedMemory{});
}

std::vector<int> nodes_for(const Machine& machine, int home, MemoryWord word) {
  return planned(machine, home, {.word = word}).nodes;
}

using Nodes = std::vector<int>;

}  // namespace

TEST(tiers, bandwidth_against_the_cpus_own_node_decides_where_the_kind_is_unknown) {
  EXPECT_EQ(sockets(2, dram, &measured_fast).memory[2].tier, Tier::fast);
  EXPECT_EQ(sockets(2, dram, &cxl).memory[2].tier, Tier::slow);
  EXPECT_EQ(sockets(2, dram, &measured_fast).memory[0].tier, Tier::ordinary);
}

TEST(tiers, the_kind_decides_where_it_is_known) {
  EXPECT_EQ(sockets(2, unmeasured_dram, &hbm).memory[2].tier, Tier::fast);
  constexpr Kind mcdram{16 * gib, 0, "MCDRAM"}, nvm{512 * gib, 999999, "NVM"};
  EXPECT_EQ(sockets(1, unmeasured_dram, &mcdram).memory[1].tier, Tier::fast);
  EXPECT_EQ(sockets(1, dram, &nvm).memory[1].tier, Tier::slow);
}

TEST(tiers, a_node_without_cpus_of_which_nothing_is_known_is_slow) {
  EXPECT_EQ(sockets(2, unmeasured_dram, &unknown_extra).memory[3].tier, Tier::slow);
}

TEST(memory_plan, near_is_the_cpus_own_node_then_the_nearest) {
  EXPECT_EQ(nodes_for(sockets(2, dram, &measured_fast), 0, MemoryWord::near), (Nodes{0, 2, 1, 3}));
  EXPECT_EQ(nodes_for(sockets(2, dram, &measured_fast), 1, MemoryWord::near), (Nodes{1, 3, 0, 2}));
}

TEST(memory_plan, fast_is_the_near_fast_node_and_falls_back_to_near_memory_first) {
  Machine machine = sockets(2, dram, &measured_fast);
  PlannedMemory plan = planned(machine, 1, {.word = MemoryWord::fast});
  EXPECT_EQ(plan.nodes, (Nodes{3, 1, 0, 2}));
  EXPECT_EQ(plan.meant, 1u);
  EXPECT_NE(plan.reason.find("highest bandwidth near the rank: 403 GB/s"), std::string::npos)
      << plan.reason;
}

TEST(memory_plan, fast_goes_by_kind_where_bandwidths_are_not_told) {
  PlannedMemory plan = planned(sockets(2, unmeasured_dram, &hbm), 0, {.word = MemoryWord::fast});
  EXPECT_EQ(plan.nodes.front(), 2);
  EXPECT_NE(plan.reason.find("by its kind"), std::string::npos) << plan.reason;
}

TEST(memory_plan, fast_is_near_where_nothing_near_is_faster) {
  for (const Machine& machine : {sockets(2, dram, nullptr), sockets(2, dram, &cxl)}) {
    PlannedMemory plan = planned(machine, 1, {.word = MemoryWord::fast, .strict = true});
    EXPECT_EQ(plan.nodes.front(), 1);
    EXPECT_NE(plan.reason.find("no memory near them is faster"), std::string::npos) << plan.reason;
  }
}

TEST(memory_plan, large_is_the_largest_node_and_the_nearest_of_equals) {
  EXPECT_EQ(nodes_for(sockets(2, dram, &cxl), 1, MemoryWord::large), (Nodes{3, 2, 1, 0}));
  EXPECT_EQ(nodes_for(sockets(2, dram, &measured_fast), 1, MemoryWord::large).front(), 1);
}

TEST(memory_plan, interleave_takes_all_nodes_of_one_speed) {
  PlannedMemory plan = planned(sockets(4, dram, nullptr), 2, {.word = MemoryWord::interleave});
  EXPECT_TRUE(plan.in_turn);
  EXPECT_EQ(plan.meant, 4u);
  EXPECT_TRUE(plan.weights.empty());
}

TEST(memory_plan, interleave_leaves_other_speeds_out_unless_the_system_weighs_them) {
  Machine machine = sockets(2, dram, &measured_fast);
  PlannedMemory plan = planned(machine, 0, {.word = MemoryWord::interleave});
  EXPECT_EQ(plan.meant, 2u);
  EXPECT_EQ(plan.nodes, (Nodes{0, 1, 2, 3}));
  EXPECT_NE(plan.reason.find("not nodes 2-3 (fast)"), std::string::npos) << plan.reason;
  for (MemoryNode& node : machine.memory) node.weight = 1;
  EXPECT_EQ(planned(machine, 0, {.word = MemoryWord::interleave}).meant, 2u);
  for (MemoryNode& node : machine.memory) node.weight = node.has_cpus ? 1 : 3;
  plan = planned(machine, 0, {.word = MemoryWord::interleave});
  EXPECT_EQ(plan.meant, 4u);
  EXPECT_EQ(plan.nodes, (Nodes{0, 2, 1, 3}));
  EXPECT_EQ(plan.weights, (Nodes{1, 3, 1, 3}));
}

TEST(memory_plan, remote_is_another_sockets_own_node_and_near_memory_comes_last) {
  Machine two = sockets(2, dram, &measured_fast);
  EXPECT_EQ(nodes_for(two, 0, MemoryWord::remote), (Nodes{1, 3, 2, 0}));
  EXPECT_EQ(nodes_for(two, 1, MemoryWord::remote).front(), 0);
  Machine eight = sockets(8, dram, nullptr);
  for (int home = 0; home < 8; ++home)
    EXPECT_EQ(nodes_for(eight, home, MemoryWord::remote).front(), (home + 4) % 8);
}

TEST(memory_plan, without_another_node_remote_is_near_and_strictly_an_error) {
  Machine machine = sockets(1, dram, nullptr);
  EXPECT_EQ(nodes_for(machine, 0, MemoryWord::remote), (Nodes{0}));
  auto plan = plan_memory(machine, 0, {.word = MemoryWord::remote, .strict = true});
  ASSERT_FALSE(plan.has_value());
  EXPECT_NE(plan.error().find("leave out the !"), std::string::npos) << plan.error();
}

TEST(memory_plan, named_nodes_come_in_their_order_and_the_rest_by_nearness) {
  MemoryPlace place{.word = MemoryWord::node, .listed = 2, .nodes = {3, 0}};
  PlannedMemory plan = planned(sockets(2, dram, &measured_fast), 1, place);
  EXPECT_EQ(plan.nodes, (Nodes{3, 0, 1, 2}));
  EXPECT_EQ(plan.meant, 2u);
}

TEST(memory_plan, a_node_that_is_not_there_is_named_with_those_that_are) {
  auto plan = plan_memory(sockets(2, dram, nullptr), 0,
                          {.word = MemoryWord::node, .listed = 1, .nodes = {7}});
  ASSERT_FALSE(plan.has_value());
  EXPECT_NE(plan.error().find("no memory node 7"), std::string::npos);
  EXPECT_NE(plan.error().find("Valid: 0-1"), std::string::npos) << plan.error();
}

TEST(memory_plan, nodes_that_the_control_group_keeps_back_are_not_used) {
  Machine machine = sockets(2, dram, &measured_fast);
  std::erase_if(machine.memory,
                [](const MemoryNode& node) { return node.os == 0 || node.os == 2; });
  EXPECT_EQ(nodes_for(machine, 0, MemoryWord::near), (Nodes{1, 3}));
  EXPECT_EQ(nodes_for(machine, 0, MemoryWord::fast).size(), 2u);
}

TEST(memory_plan, ranks_of_one_node_are_at_home_there_and_free_ones_take_turns) {
  Machine machine = sockets(2, dram, nullptr);
  PlannedRank bound{1, {2, 3}, {}}, free{1, {0, 1, 2, 3}, {}};
  EXPECT_EQ(home_node(machine, bound, 0), 1);
  EXPECT_EQ(home_node(machine, bound, 5), 1);
  EXPECT_EQ(home_node(machine, free, 0), 0);
  EXPECT_EQ(home_node(machine, free, 1), 1);
}
