#include "sim/machine/plan.hpp"

#include <gtest/gtest.h>

#include "tests/sim/machine/one_machine.hpp"

namespace baton::model {
namespace {

TEST(plan, the_five_configurations_are_those_of_mpiexec) {
  const Description description{two_packages()};
  auto placed = [&](const char* name) {
    std::string text;
    for (const PlacedRank& rank : place(description, plan_of_configuration(description, name, 4))) {
      text += std::to_string(rank.cpu) + ":";
      for (int node : rank.nodes) text += std::to_string(node);
      text += " ";
    }
    return text;
  };
  EXPECT_EQ(placed("local"), "0:0 1:0 2:0 3:0 ");
  EXPECT_EQ(placed("interleave"), "0:01 1:01 2:01 3:01 ");
  EXPECT_EQ(placed("spread"), "0:0 1:0 4:0 5:0 ");
  EXPECT_EQ(placed("spread-interleave"), "0:01 1:01 4:10 5:10 ");
  EXPECT_EQ(placed("remote"), "0:1 1:1 2:1 3:1 ");
}

TEST(plan, what_planning_refuses_is_told_in_its_words) {
  const Description description{two_packages()};
  EXPECT_THROW((void)plan_of_configuration(description, "elsewhere", 4), std::runtime_error);
  EXPECT_THROW((void)place(description, {{}, "all=node:7!", 2}), std::runtime_error);
  EXPECT_THROW((void)place(description, {{}, "all=quick", 2}), std::runtime_error);
  EXPECT_THROW((void)place(description, {{}, "all=near", 9}), std::runtime_error);
}

TEST(flows, of_a_core_share_its_lines) {
  const Description description{two_packages()};
  // Half of what is read is near, half far: a line is away for 96 ns in the mean.
  const auto flows = flows_of(description, 0, {{0, 0.5}, {1, 0.5}}, 10);
  ASSERT_EQ(flows.size(), 2u);
  for (const Flow& flow : flows)
    EXPECT_NEAR(flow.bytes_per_second_max, 0.5 * 10 * 64 / 96e-9, 1e3) << flow.name;
}

TEST(flows, of_a_writer_read_what_it_overwrites) {
  const Description description{two_packages()};
  const auto flows = flows_of(description, 4, {{0, 1, 1}}, 10);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_DOUBLE_EQ(flows[0].bytes_per_byte, 2);
  EXPECT_DOUBLE_EQ(flows[1].bytes_per_byte, 1);
  EXPECT_NEAR(flows[0].bytes_per_second_max, 10 * 64 / 128e-9, 1e3);
  // From package 1's core: data comes over link 0-1 and goes back over 1-0.
  const std::pair<int, int> in{description.link_resource(0, 1), 1};
  const std::pair<int, int> out{description.link_resource(1, 0), 1};
  EXPECT_NE(std::find(flows[0].uses.begin(), flows[0].uses.end(), in), flows[0].uses.end());
  EXPECT_NE(std::find(flows[1].uses.begin(), flows[1].uses.end(), out), flows[1].uses.end());
  EXPECT_THROW((void)flows_of(description, 0, {}, 10), std::runtime_error);
  EXPECT_THROW((void)flows_of(description, 0, {{0, -1}}, 10), std::runtime_error);
  EXPECT_THROW((void)flows_of(description, 9, {{0, 1}}, 10), std::runtime_error);
}

}  // namespace
}  // namespace baton::model
