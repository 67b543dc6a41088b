#include "machine/cores.hpp"

#include <gtest/gtest.h>

using namespace baton::machine;

namespace {

std::string problem(const std::string& words) {
  auto choice = read_core_choice(words);
  EXPECT_FALSE(choice.has_value()) << words;
  return choice ? "" : choice.error();
}

}  // namespace

TEST(cores, words_become_a_choice) {
  using Kind = CoreChoice::Kind;
  EXPECT_EQ(read_core_choice("all"), CoreChoice{});
  EXPECT_EQ(read_core_choice("socket:0"), (CoreChoice{Kind::objects, Level::package, {0}, 0}));
  EXPECT_EQ(read_core_choice("numa:1,3-4"), (CoreChoice{Kind::objects, Level::numa, {1, 3, 4}, 0}));
  EXPECT_EQ(read_core_choice("spread:2"), (CoreChoice{Kind::spread, Level::machine, {}, 2}));
  EXPECT_EQ(read_core_choice("spread"), (CoreChoice{Kind::spread, Level::machine, {}, 0}));
  EXPECT_EQ(read_core_choice("8,0-1"), (CoreChoice{Kind::listed, Level::hwthread, {8, 0, 1}, 0}));
  EXPECT_EQ(read_core_choice("node:2"), (CoreChoice{Kind::objects, Level::numa, {2}, 0}));
  EXPECT_EQ(read_core_choice("l2:0"), (CoreChoice{Kind::objects, Level::l2, {0}, 0}));
  EXPECT_EQ(read_core_choice("core:0"), (CoreChoice{Kind::objects, Level::core, {0}, 0}));
  EXPECT_EQ(read_core_choice("0-8191")->numbers.size(), 8192u);
}

TEST(cores, bad_words_are_named_with_the_valid_ones) {
  EXPECT_NE(problem("sockt:0").find("did you mean socket?"), std::string::npos);
  EXPECT_NE(problem("al").find("did you mean all?"), std::string::npos);
  EXPECT_NE(problem("sprad:2").find("did you mean spread?"), std::string::npos);
  EXPECT_NE(problem("0-8192").find("is no list"), std::string::npos);
  EXPECT_NE(problem("elsewhere").find("\"elsewhere\" is not known; it takes all, package:LIST"),
            std::string::npos);
  EXPECT_NE(problem("package").find("package:0"), std::string::npos);
  EXPECT_NE(problem("package:").find("is no list"), std::string::npos);
  EXPECT_NE(problem("3-1").find("is no list"), std::string::npos);
  EXPECT_NE(problem("0,0").find("names 0 twice"), std::string::npos);
  EXPECT_NE(problem("0-2x").find("is no list"), std::string::npos);
  EXPECT_NE(problem("0x1").find("is no list"), std::string::npos);
  EXPECT_NE(problem("spread:2x").find("at least 1"), std::string::npos);
  EXPECT_NE(problem("99999999999").find("is no list"), std::string::npos);
  EXPECT_NE(problem("spread:0").find("at least 1"), std::string::npos);
  EXPECT_NE(problem("").find("it takes all"), std::string::npos);
}

TEST(cores, where_the_machine_tells_of_no_memory_nodes_spread_takes_all) {
  Machine machine;
  machine.cpus = {{.os = 0, .core = 0}, {.os = 1, .core = 1}};
  EXPECT_TRUE(nodes_with_cpus(machine).empty());
  for (const char* words : {"spread", "spread:1"})
    EXPECT_EQ(with_cores(machine, *read_core_choice(words))->cpus.size(), 2u) << words;
  EXPECT_EQ(with_cores(machine, *read_core_choice("spread:2")).error(),
            "spread:2: this machine has 0 NUMA nodes with usable CPUs");
  EXPECT_EQ(with_cores(machine, *read_core_choice("l3:0")).error(),
            "there is no usable L3 0; this machine tells of none");
}

TEST(cores, memory_nodes_are_spread_over_in_the_order_of_their_numbers) {
  Machine machine;
  machine.cpus = {{.os = 0, .core = 0, .numa_node = 3}, {.os = 1, .core = 1, .numa_node = 2}};
  EXPECT_EQ(nodes_with_cpus(machine), (std::vector{2, 3}));
  EXPECT_EQ(with_cores(machine, *read_core_choice("spread:1"))->cpus.at(0).os, 1);
}

TEST(cores, a_choice_has_words_for_a_plans_reason) {
  EXPECT_EQ(words_of(CoreChoice{}), "");
  EXPECT_EQ(words_of(*read_core_choice("socket:0")), "package 0");
  EXPECT_EQ(words_of(*read_core_choice("0-3,8")), "CPUs 0-3,8");
  EXPECT_EQ(words_of(*read_core_choice("spread:2")), "2 NUMA nodes");
  EXPECT_EQ(words_of(*read_core_choice("spread")), "all NUMA nodes");
}
