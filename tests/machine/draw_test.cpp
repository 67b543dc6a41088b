#include "machine/draw.hpp"

#include <gtest/gtest.h>

#include "machine/draw_svg.hpp"

using namespace baton::machine;

namespace {

Machine two_packages() {
  Machine machine;
  for (int i = 0; i < 4; ++i) machine.cpus.push_back({i, i, i, i / 2, i / 2, i / 2});
  machine.cpus_present = 4;
  machine.memory.resize(2);
  machine.memory[0].os = 0;
  machine.memory[0].bytes = 8ull << 30;
  machine.memory[0].has_cpus = true;
  machine.memory[1].os = 1;
  machine.memory[1].bytes = 16ull << 30;
  return machine;
}

}  // namespace

TEST(draw, the_machine_shows_packages_cores_and_memory) {
  std::string text = draw_machine(two_packages());
  EXPECT_NE(text.find("4 usable of 4 CPUs"), std::string::npos) << text;
  EXPECT_NE(text.find("package 1, NUMA node 1, L3 1\n  [2] [3]"), std::string::npos) << text;
  EXPECT_NE(text.find("NUMA node 1: 16 GiB DRAM (no CPUs)"), std::string::npos) << text;
}

TEST(draw, speeds_are_told_by_whose_cpus_see_them) {
  Machine machine = two_packages();
  machine.memory[0].paths = {{0, true, 100000, 90, 10}, {1, false, 50000, 140, 21}};
  machine.memory[1].paths = {{0, true, 30000, 0, 14}, {1, true, 30000, 0, 14}};
  const std::string text = draw_memory(machine);
  EXPECT_NE(text.find("NUMA node 0: 8 GiB DRAM; 105 GB/s and 90 ns from its own CPUs; 52 GB/s "
                      "and 140 ns from CPUs of node 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("(no CPUs), near nodes 0-1; 31 GB/s from CPUs of nodes 0-1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n    1   21   14\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("nothing on this machine"), std::string::npos) << text;
}

TEST(draw, what_nothing_tells_is_said_and_not_left_blank) {
  const std::string text = draw_memory(two_packages());
  EXPECT_NE(text.find("bandwidths and latencies: nothing on this machine tells them\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("distances between nodes: nothing on this machine tells them\n"),
            std::string::npos)
      << text;
  EXPECT_NE(draw_machine_svg(two_packages()).find("nothing on this machine tells"),
            std::string::npos);
}

TEST(draw, the_groups_limit_and_weights_are_shown_where_there_are_some) {
  Machine machine = two_packages();
  for (const char* word : {"weight", "limit"})
    EXPECT_EQ(draw_memory(machine).find(word), std::string::npos);
  machine.memory_limit_bytes = 3ull << 30;
  machine.memory[0].weight = 3;
  machine.memory[1].weight = 5;
  const std::string text = draw_memory(machine);
  EXPECT_NE(text.find("control group's memory limit: 3 GiB in all\n"), std::string::npos) << text;
  EXPECT_NE(text.find("; weight 5 in interleaving\n"), std::string::npos) << text;
  machine.memory[0].weight = 5;  // all alike: they say nothing
  EXPECT_EQ(draw_memory(machine).find("weight"), std::string::npos);
}

TEST(draw, every_core_shows_its_ranks) {
  Machine machine = two_packages();
  auto placement = place(machine, {.ranks = 3});
  ASSERT_TRUE(placement.has_value());
  std::string text = draw_placement(machine, *placement);
  EXPECT_NE(text.find("[2: 2] [3: .]"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 2: CPU 2\n"), std::string::npos) << text;
}

TEST(draw, unbound_ranks_say_why) {
  Machine machine = two_packages();
  auto placement = place(machine, {.ranks = 9});
  ASSERT_TRUE(placement.has_value());
  EXPECT_EQ(draw_placement(machine, *placement), "not bound: 9 ranks on 4 usable CPUs\n");
}

TEST(draw, the_picture_has_every_core_and_its_rank) {
  Machine machine = two_packages();
  machine.model = "A & B";
  auto placement = place(machine, {.ranks = 3});
  ASSERT_TRUE(placement.has_value());
  const std::string picture = draw_placement_svg(machine, *placement);
  for (const char* part : {"class=\"cpu\">3</text>", "class=\"rank\">2</text>", ">package 1</text>",
                           ">NUMA node 1: 16 GiB DRAM (no CPUs)</text>", "3 ranks on 4 cores"})
    EXPECT_NE(picture.find(part), std::string::npos) << part << '\n' << picture;
  EXPECT_EQ(picture.find("class=\"rank\">3</text>"), std::string::npos);
  EXPECT_NE(draw_machine_svg(machine).find("A &amp; B, 4 usable CPUs"), std::string::npos);
}
