// Each word of --memory on each captured machine, against an expectation that was written by hand.
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "base/numa_policy.hpp"
#include "machine/discover.hpp"
#include "machine/memory_plan.hpp"

using namespace baton::machine;
using baton::NumaPolicy;

namespace {

struct Expected {
  const char* machine;
  int home;
  const char* policy;
  const char* nodes;  // what the word means; behind the bar what it falls back on, in this order
};

// A node without CPUs is not DRAM; of equal ones the rank's own comes first. Remote is half way
// round the nodes that have CPUs.
const Expected plans[] = {
    {"knl-flat", 0, "near", "0 | 1"},
    {"knl-flat", 0, "hbm", "1 | 0"},
    {"knl-flat", 0, "large", "0 | 1"},
    {"knl-flat", 0, "interleave", "0 | 1"},
    {"knl-flat", 0, "remote", "1 | 0"},
    {"knl-flat", 0, "node:1", "1 | 0"},
    {"knl-cache", 0, "near", "0 |"},
    {"knl-cache", 0, "hbm", "0 |"},
    {"knl-cache", 0, "large", "0 |"},
    {"knl-cache", 0, "interleave", "0 |"},
    {"knl-cache", 0, "remote", "0 |"},
    {"knl-hybrid", 0, "near", "0 | 1"},
    {"knl-hybrid", 0, "hbm", "1 | 0"},
    {"knl-hybrid", 0, "large", "0 | 1"},
    {"knl-hybrid", 0, "interleave", "0 | 1"},
    {"knl-snc4", 1, "near", "1 | 5 0 2 3 4 6 7"},
    {"knl-snc4", 1, "hbm", "5 | 1 0 2 3 4 6 7"},
    {"knl-snc4", 3, "hbm", "7 | 3 0 1 2 4 5 6"},
    {"knl-snc4", 1, "large", "1 | 0 2 3 5 4 6 7"},
    {"knl-snc4", 1, "interleave", "1 0 2 3 | 5 4 6 7"},
    {"knl-snc4", 1, "remote", "3 | 7 6 4 2 0 5 1"},
    {"xeon-max-flat", 1, "near", "1 | 3 0 2"},
    {"xeon-max-flat", 0, "hbm", "2 | 0 1 3"},
    {"xeon-max-flat", 1, "hbm", "3 | 1 0 2"},
    {"xeon-max-flat", 1, "large", "1 | 0 3 2"},
    {"xeon-max-flat", 1, "interleave", "1 0 | 3 2"},
    {"xeon-max-flat", 1, "remote", "0 | 2 3 1"},
    {"xeon-max-flat", 0, "node:3+2", "3 2 | 0 1"},
    {"xeon-max-snc4", 5, "near", "5 | 13 4 6 7 12 14 15 0 1 2 3 8 9 10 11"},
    {"xeon-max-snc4", 5, "hbm", "13 | 5 4 6 7 12 14 15 0 1 2 3 8 9 10 11"},
    {"xeon-max-snc4", 5, "large", "5 | 4 6 7 0 1 2 3 13 12 14 15 8 9 10 11"},
    {"xeon-max-snc4", 0, "interleave", "0 1 2 3 4 5 6 7 | 8 9 10 11 12 13 14 15"},
    {"xeon-max-snc4", 5, "remote", "1 | 11 10 9 8 3 2 0 15 14 12 7 6 4 13 5"},
    {"two-sockets", 0, "near", "0 | 1"},
    {"two-sockets", 1, "hbm", "1 | 0"},
    {"two-sockets", 0, "large", "0 | 1"},
    {"two-sockets", 0, "interleave", "0 1 |"},
    {"two-sockets", 0, "remote", "1 | 0"},
    {"eight-sockets", 2, "near", "2 | 0 1 3 6 4 5 7"},
    {"eight-sockets", 2, "hbm", "2 | 0 1 3 6 4 5 7"},
    {"eight-sockets", 2, "interleave", "2 0 1 3 6 4 5 7 |"},
    {"eight-sockets", 2, "remote", "6 | 7 5 4 3 1 0 2"},
    {"cxl", 0, "near", "0 | 2 1"},
    {"cxl", 1, "near", "1 | 0 2"},
    {"cxl", 0, "hbm", "0 | 2 1"},
    {"cxl", 1, "hbm", "1 | 0 2"},
    {"cxl", 0, "large", "2 | 0 1"},
    {"cxl", 1, "large", "2 | 1 0"},
    {"cxl", 0, "interleave", "0 1 | 2"},
    {"cxl", 0, "remote", "1 | 2 0"},
    {"epyc-nps4", 3, "near", "3 | 0 1 2 4 5 6 7"},
    {"epyc-nps4", 3, "hbm", "3 | 0 1 2 4 5 6 7"},
    {"epyc-nps4", 3, "interleave", "3 0 1 2 4 5 6 7 |"},
    {"epyc-nps4", 3, "remote", "7 | 6 5 4 2 1 0 3"},
    {"laptop", 0, "near", "0 |"},
    {"laptop", 0, "hbm", "0 |"},
    {"laptop", 0, "large", "0 |"},
    {"laptop", 0, "interleave", "0 |"},
    {"laptop", 0, "remote", "0 |"},
    {"virtual-machine", 0, "hbm!", "0 |"},
    {"virtual-machine", 0, "remote", "0 |"},
    {"guest", 1, "near", "1 | 3 0 2"},
    {"guest", 0, "hbm", "2 | 0 1 3"},
    {"guest", 1, "large", "1 | 0 3 2"},
    {"guest", 1, "interleave", "1 0 | 3 2"},
    {"guest", 1, "remote", "0 | 2 3 1"},
};

Machine captured(const std::string& name) {
  auto machine = read_captured_machine(MACHINES_FOLDER "/" + name + ".xml");
  EXPECT_TRUE(machine.has_value()) << (machine ? "" : machine.error());
  return machine ? *machine : Machine{};
}

NumaPolicy parsed(const char* text) {
  NumaPolicy policy;
  baton::MemoryWordError error;
  EXPECT_TRUE(parse_numa_policy(text, &policy, &error)) << error.text;
  return policy;
}

std::string text_of(const PlannedMemory& plan) {
  std::string text;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    text += (i == plan.meant ? "| " : "") + std::to_string(plan.nodes[i]) + " ";
  if (plan.meant == plan.nodes.size()) text += "| ";
  text.pop_back();
  return text;
}

class Plan : public testing::TestWithParam<Expected> {};

std::string named(const testing::TestParamInfo<Expected>& info) {
  std::string name = std::string(info.param.machine) + "_home" + std::to_string(info.param.home) +
                     "_" + info.param.policy;
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return name;
}

}  // namespace

TEST_P(Plan, is_as_written_and_has_a_reason) {
  const Expected& expected = GetParam();
  auto plan = plan_memory(captured(expected.machine), expected.home, parsed(expected.policy));
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_EQ(text_of(*plan), expected.nodes) << plan->reason;
  EXPECT_FALSE(plan->reason.empty());
}

INSTANTIATE_TEST_SUITE_P(machines, Plan, testing::ValuesIn(plans), named);

TEST(plan, weights_of_the_system_bring_all_nodes_into_turn) {
  Machine machine = captured("guest");
  for (NumaNode& node : machine.memory) node.weight = node.has_cpus ? 1 : 3;
  auto plan = plan_memory(machine, 1, parsed("interleave"));
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_TRUE(plan->in_turn);
  EXPECT_EQ(text_of(*plan), "1 3 0 2 |");
  EXPECT_EQ(plan->weights, (std::vector{1, 3, 1, 3}));
}

TEST(plan, a_node_that_is_not_there_is_named_with_those_that_are) {
  auto plan = plan_memory(captured("guest"), 0, parsed("node:9"));
  ASSERT_FALSE(plan.has_value());
  EXPECT_NE(plan.error().find("9"), std::string::npos) << plan.error();
  EXPECT_NE(plan.error().find("0-3"), std::string::npos) << plan.error();
}

TEST(plan, strictly_remote_memory_is_refused_where_there_is_one_node) {
  for (const char* machine : {"laptop", "virtual-machine", "knl-cache"}) {
    auto plan = plan_memory(captured(machine), 0, parsed("remote!"));
    ASSERT_FALSE(plan.has_value()) << machine;
    EXPECT_NE(plan.error().find("no remote memory"), std::string::npos) << plan.error();
  }
}

TEST(plan, every_node_appears_once_whatever_the_word_and_the_home) {
  for (const Expected& expected : plans) {
    Machine machine = captured(expected.machine);
    for (const NumaNode& home : machine.memory) {
      if (!home.has_cpus) continue;
      for (const char* word : {"near", "hbm", "large", "interleave", "remote"}) {
        auto plan = plan_memory(machine, home.os, parsed(word));
        ASSERT_TRUE(plan.has_value()) << plan.error();
        std::set<int> nodes(plan->nodes.begin(), plan->nodes.end());
        EXPECT_EQ(nodes.size(), plan->nodes.size()) << expected.machine << " " << word;
        EXPECT_EQ(nodes.size(), machine.memory.size()) << expected.machine << " " << word;
      }
    }
  }
}
