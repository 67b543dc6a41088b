// Written expectations for machines made by hand; those of captured ones are in
// tests/machines/plan_test.cpp.
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
    NumaNode node;
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
constexpr Kind measured_hbm{16 * gib, 384000, ""};
constexpr Kind hbm{16 * gib, 0, "HBM"};
constexpr Kind cxl{256 * gib, 30000, ""};
constexpr Kind unknown_extra{256 * gib, 0, ""};

PlannedMemory planned(const Machine& machine, int home, NumaPolicy policy) {
  auto plan = plan_memory(machine, home, policy);
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error());
  return plan.value_or(PlannedMemory{});
}

std::vector<int> nodes_for(const Machine& machine, int home, MemoryWord word) {
  return planned(machine, home, {.word = word}).nodes;
}

using Nodes = std::vector<int>;

// A NUMA node as the CPUs of node 1 see it: one socket, whose own node is not the first.
struct Seen {
  bool local;
  int distance;
  const char* kind;
  std::uint64_t mib_per_second = 0;
  std::uint64_t latency = 0;
  std::uint64_t bytes = gib;
};

Machine around_node_1(const std::vector<Seen>& nodes) {
  Machine machine;
  machine.cpus = {{.os = 0, .core = 0, .numa_node = 1, .package = 0}};
  for (const Seen& seen : nodes) {
    NumaNode node;
    node.os = static_cast<int>(machine.memory.size());
    node.bytes = seen.bytes;
    node.kind = seen.kind;
    node.has_cpus = node.os == 1;
    node.paths = {{1, seen.local, seen.mib_per_second, seen.latency, seen.distance}};
    machine.memory.push_back(node);
  }
  judge_tiers(machine);
  return machine;
}

Nodes around(const std::vector<Seen>& nodes, MemoryWord word) {
  return nodes_for(around_node_1(nodes), 1, word);
}

}  // namespace

TEST(tiers, bandwidth_against_the_cpus_own_node_decides_where_the_kind_is_unknown) {
  EXPECT_EQ(sockets(2, dram, &measured_hbm).memory[2].tier, Tier::hbm);
  EXPECT_EQ(sockets(2, dram, &cxl).memory[2].tier, Tier::slow);
  EXPECT_EQ(sockets(2, dram, &measured_hbm).memory[0].tier, Tier::dram);
}

TEST(tiers, of_bandwidths_those_count_that_near_cpus_see) {
  Machine machine = sockets(2, dram, &cxl);
  machine.memory[2].paths[1].mib_per_second = 999999;
  judge_tiers(machine);
  EXPECT_EQ(machine.memory[2].tier, Tier::slow);
}

TEST(tiers, the_kind_decides_where_it_is_known) {
  for (const char* kind : {"NVM", "CXL-DRAM", "CXL-NVM", "CXL"})
    EXPECT_EQ(around_node_1({{true, 11, kind, 999999}, {true, 10, "", 1000}}).memory[0].tier,
              Tier::slow)
        << kind;
  EXPECT_EQ(around_node_1({{true, 11, "DRAM"}, {true, 10, ""}}).memory[0].tier, Tier::dram);
  EXPECT_EQ(sockets(2, unmeasured_dram, &hbm).memory[2].tier, Tier::hbm);
  constexpr Kind mcdram{16 * gib, 0, "MCDRAM"}, nvm{512 * gib, 999999, "NVM"};
  EXPECT_EQ(sockets(1, unmeasured_dram, &mcdram).memory[1].tier, Tier::hbm);
  EXPECT_EQ(sockets(1, dram, &nvm).memory[1].tier, Tier::slow);
}

TEST(tiers, a_node_without_cpus_of_which_nothing_is_known_is_slow) {
  EXPECT_EQ(sockets(2, unmeasured_dram, &unknown_extra).memory[3].tier, Tier::slow);
}

TEST(memory_plan, near_is_the_cpus_own_node_then_the_nearest) {
  EXPECT_EQ(nodes_for(sockets(2, dram, &measured_hbm), 0, MemoryWord::near), (Nodes{0, 2, 1, 3}));
  EXPECT_EQ(nodes_for(sockets(2, dram, &measured_hbm), 1, MemoryWord::near), (Nodes{1, 3, 0, 2}));
}

TEST(memory_plan, of_near_nodes_that_of_the_cpus_comes_first_then_dram_then_hbm) {
  EXPECT_EQ(around({{true, 10, "DRAM"}, {true, 10, "DRAM"}, {true, 10, "NVM"}, {true, 10, "HBM"}},
                   MemoryWord::near),
            (Nodes{1, 0, 3, 2}));
}

TEST(memory_plan, a_home_that_may_not_be_used_is_said_to_be_replaced_by_the_nearest) {
  Machine machine = sockets(2, dram, nullptr);
  EXPECT_EQ(planned(machine, 0, {.word = MemoryWord::near}).reason,
            "node 0 (DRAM) is that of the rank's CPUs");
  std::erase_if(machine.memory, [](const NumaNode& node) { return node.os == 0; });
  EXPECT_EQ(planned(machine, 0, {.word = MemoryWord::near}).reason,
            "node 1 (DRAM) is the nearest that may be used");
  machine.memory.clear();
  EXPECT_EQ(plan_memory(machine, 0, {.word = MemoryWord::near}).error(),
            "this machine tells no NUMA nodes");
}

TEST(memory_plan, of_equally_fast_nodes_kind_then_latency_then_the_cpus_own_decide) {
  EXPECT_EQ(
      around({{true, 11, "DRAM", 9}, {true, 10, "DRAM", 9}, {true, 11, "HBM", 9}}, MemoryWord::hbm),
      (Nodes{2, 1, 0}));
  EXPECT_EQ(around({{true, 11, "DRAM", 9, 80}, {true, 10, "DRAM", 9, 90}}, MemoryWord::hbm),
            (Nodes{0, 1}));
  EXPECT_EQ(around({{true, 11, "DRAM", 9, 90}, {true, 10, "DRAM", 9, 90}}, MemoryWord::hbm),
            (Nodes{1, 0}));
}

TEST(memory_plan, hbm_is_the_near_fast_node_and_falls_back_to_near_memory_first) {
  Machine machine = sockets(2, dram, &measured_hbm);
  PlannedMemory plan = planned(machine, 1, {.word = MemoryWord::hbm});
  EXPECT_EQ(plan.nodes, (Nodes{3, 1, 0, 2}));
  EXPECT_EQ(plan.meant, 1u);
  EXPECT_NE(plan.reason.find("highest bandwidth near the rank: 403 GB/s"), std::string::npos)
      << plan.reason;
}

TEST(memory_plan, hbm_goes_by_kind_where_bandwidths_are_not_told) {
  PlannedMemory plan = planned(sockets(2, unmeasured_dram, &hbm), 0, {.word = MemoryWord::hbm});
  EXPECT_EQ(plan.nodes.front(), 2);
  EXPECT_NE(plan.reason.find("by its kind"), std::string::npos) << plan.reason;
}

TEST(memory_plan, hbm_is_near_where_nothing_near_is_faster) {
  for (const Machine& machine : {sockets(2, dram, nullptr), sockets(2, dram, &cxl)}) {
    PlannedMemory plan = planned(machine, 1, {.word = MemoryWord::hbm, .strict = true});
    EXPECT_EQ(plan.nodes.front(), 1);
    EXPECT_NE(plan.reason.find("no memory near them is faster"), std::string::npos) << plan.reason;
  }
}

TEST(memory_plan, large_is_the_largest_node_and_the_nearest_of_equals) {
  EXPECT_EQ(nodes_for(sockets(2, dram, &cxl), 1, MemoryWord::large), (Nodes{3, 2, 1, 0}));
  EXPECT_EQ(nodes_for(sockets(2, dram, &measured_hbm), 1, MemoryWord::large).front(), 1);
}

TEST(memory_plan, of_equally_large_nodes_the_cpus_own_comes_first_then_near_ones) {
  EXPECT_EQ(around({{true, 10, "DRAM"}, {true, 10, "DRAM"}}, MemoryWord::large), (Nodes{1, 0}));
  EXPECT_EQ(
      around({{false, 10, "DRAM"}, {true, 10, "DRAM"}, {true, 10, "DRAM"}}, MemoryWord::large),
      (Nodes{1, 2, 0}));
}

TEST(memory_plan, large_says_how_large) {
  const std::string size = "node 1 (DRAM) is the largest: ";
  const std::uint64_t mib = 1 << 20;
  for (auto [bytes, text] : {std::pair{700 * mib, "700 MiB"}, {1600 * mib, "2 GiB"}}) {
    Machine machine = around_node_1({{true, 11, "", 0, 0, mib}, {true, 10, "", 0, 0, bytes}});
    EXPECT_EQ(planned(machine, 1, {.word = MemoryWord::large}).reason, size + text);
  }
}

TEST(memory_plan, interleave_takes_all_where_none_is_dram) {
  EXPECT_EQ(planned(around_node_1({{true, 11, "NVM"}, {true, 10, "HBM"}}), 1,
                    {.word = MemoryWord::interleave})
                .meant,
            2u);
}

TEST(memory_plan, interleave_takes_all_nodes_of_one_speed) {
  PlannedMemory plan = planned(sockets(4, dram, nullptr), 2, {.word = MemoryWord::interleave});
  EXPECT_TRUE(plan.in_turn);
  EXPECT_EQ(plan.meant, 4u);
  EXPECT_TRUE(plan.weights.empty());
}

TEST(memory_plan, interleave_leaves_other_speeds_out_unless_the_system_weighs_them) {
  Machine machine = sockets(2, dram, &measured_hbm);
  PlannedMemory plan = planned(machine, 0, {.word = MemoryWord::interleave});
  EXPECT_EQ(plan.meant, 2u);
  EXPECT_EQ(plan.nodes, (Nodes{0, 1, 2, 3}));
  EXPECT_NE(plan.reason.find("not nodes 2-3 (HBM)"), std::string::npos) << plan.reason;
  for (NumaNode& node : machine.memory) node.weight = 1;
  EXPECT_EQ(planned(machine, 0, {.word = MemoryWord::interleave}).meant, 2u);
  for (NumaNode& node : machine.memory) node.weight = node.has_cpus ? 1 : 0;
  EXPECT_EQ(planned(machine, 0, {.word = MemoryWord::interleave}).meant, 2u)
      << "the kernel weighs not all";
  for (NumaNode& node : machine.memory) node.weight = node.has_cpus ? 1 : 3;
  plan = planned(machine, 0, {.word = MemoryWord::interleave});
  EXPECT_EQ(plan.meant, 4u);
  EXPECT_EQ(plan.nodes, (Nodes{0, 2, 1, 3}));
  EXPECT_EQ(plan.weights, (Nodes{1, 3, 1, 3}));
}

TEST(memory_plan, remote_is_another_sockets_own_node_and_near_memory_comes_last) {
  Machine two = sockets(2, dram, &measured_hbm);
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
  NumaPolicy policy{.word = MemoryWord::node, .listed = 2, .nodes = {3, 0}};
  PlannedMemory plan = planned(sockets(2, dram, &measured_hbm), 1, policy);
  EXPECT_EQ(plan.nodes, (Nodes{3, 0, 1, 2}));
  EXPECT_EQ(plan.meant, 2u);
}

TEST(memory_plan, a_node_that_is_not_there_is_named_with_those_that_are) {
  auto plan = plan_memory(sockets(2, dram, nullptr), 0,
                          {.word = MemoryWord::node, .listed = 1, .nodes = {7}});
  ASSERT_FALSE(plan.has_value());
  EXPECT_NE(plan.error().find("no NUMA node 7"), std::string::npos);
  EXPECT_NE(plan.error().find("Valid: 0-1"), std::string::npos) << plan.error();
}

TEST(memory_plan, nodes_that_the_control_group_keeps_back_are_not_used) {
  Machine machine = sockets(2, dram, &measured_hbm);
  std::erase_if(machine.memory, [](const NumaNode& node) { return node.os == 0 || node.os == 2; });
  EXPECT_EQ(nodes_for(machine, 0, MemoryWord::near), (Nodes{1, 3}));
  EXPECT_EQ(nodes_for(machine, 0, MemoryWord::hbm).size(), 2u);
}

TEST(memory_plan, ranks_of_one_node_are_at_home_there_and_free_ones_take_turns) {
  Machine machine = sockets(2, dram, nullptr);
  PlannedRank bound{1, {2, 3}, {}}, free{1, {0, 1, 2, 3}, {}};
  EXPECT_EQ(home_node(machine, bound, 0), 1);
  EXPECT_EQ(home_node(machine, bound, 5), 1);
  EXPECT_EQ(home_node(machine, free, 0), 0);
  EXPECT_EQ(home_node(machine, free, 1), 1);
  EXPECT_EQ(home_node(machine, {1, {99}, {}}, 0), -1);
}

TEST(memory_plan, a_node_is_called_by_its_kind_or_else_its_speed) {
  EXPECT_EQ(node_text(sockets(1, unmeasured_dram, &hbm), 1), "node 1 (HBM)");
  EXPECT_EQ(node_text(sockets(1, dram, &measured_hbm), 1), "node 1 (HBM)");
  EXPECT_EQ(node_text(sockets(1, dram, nullptr), 7), "node 7");
}
