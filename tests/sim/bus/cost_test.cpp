#include "sim/bus/cost.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace baton::bus {
namespace {

Cost cost_of(std::string_view design, int nodes) {
  for (const Cost& cost : status_costs(nodes, {}))
    if (cost.design == design) return cost;
  ADD_FAILURE() << design;
  return {};
}

TEST(bits, tell_every_rest_of_the_longest_transfer) {
  EXPECT_EQ(left_bits(4), 1);
  EXPECT_EQ(left_bits(1536), 9);    // 384 words
  EXPECT_EQ(left_bits(65536), 15);  // 0 to 16384 words
  EXPECT_EQ(class_bits(65536), 4);  // idle and 2^0 to 2^14 words
  EXPECT_EQ(class_bits(4), 1);
}

TEST(look_up, takes_a_word_a_cycle_or_a_level_a_cycle) {
  EXPECT_EQ(cost_of("idle lines", 32).look_up, 1u);
  EXPECT_EQ(cost_of("table read over the bus", 32).look_up, 31u);
  EXPECT_EQ(cost_of("table at the root", 32).look_up, 16u);  // two entries of 16 bits a word
  EXPECT_EQ(cost_of("classes at the root", 32).look_up, 4u);
  EXPECT_EQ(cost_of("tree of comparators", 32).look_up, 5u);
  EXPECT_EQ(cost_of("tree of comparators", 33).look_up, 5u);
  EXPECT_EQ(cost_of("tree of comparators", 34).look_up, 6u);
}

TEST(storage, is_counted_for_all_nodes_but_the_root) {
  EXPECT_EQ(cost_of("idle lines", 32).bits, 31u);
  EXPECT_EQ(cost_of("table at the root", 32).bits, 31u * 16);
  EXPECT_EQ(cost_of("classes at the root", 32).bits, 31u * 4);
  EXPECT_EQ(cost_of("tree of comparators", 32).bits, 31u * 16 + 30 * (16 + 5));
  EXPECT_EQ(cost_of("tree of comparators", 32).comparators, 30u);
}

}  // namespace
}  // namespace baton::bus
