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
  EXPECT_NE(text.find("package 1, memory node 1, L3 1\n  [2] [3]"), std::string::npos) << text;
  EXPECT_NE(text.find("memory node 1: 16 GiB (no CPUs)"), std::string::npos) << text;
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
                           ">memory node 1: 16 GiB (no CPUs)</text>", "3 ranks on 4 cores"})
    EXPECT_NE(picture.find(part), std::string::npos) << part << '\n' << picture;
  EXPECT_EQ(picture.find("class=\"rank\">3</text>"), std::string::npos);
  EXPECT_NE(draw_machine_svg(machine).find("A &amp; B, 4 usable CPUs"), std::string::npos);
}
