#include "sim/bus/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/bus/draw.hpp"

namespace baton::bus {
namespace {

std::vector<int> nodes_of(const std::vector<Choice>& choices) {
  std::vector<int> nodes;
  for (const Choice& choice : choices) nodes.push_back(choice.node);
  return nodes;
}

TEST(status_order, is_idle_first_then_least_left_and_ranks_break_ties) {
  std::vector<StatusEntry> status = {{1, false, 8}, {2, true, 0},  {3, false, 4},
                                     {4, false, 8}, {5, true, 99}, {6, false, ~Bytes{0}}};
  std::vector<Choice> choices = serve_order(Order::status, status);
  EXPECT_EQ(nodes_of(choices), (std::vector{2, 5, 3, 1, 4, 6}));
  EXPECT_EQ(choices[1].reason, Reason::idle);
  EXPECT_EQ(choices[2].reason, Reason::least_left);
}

TEST(rank_order, does_not_look_at_the_status) {
  std::vector<StatusEntry> status = {{9, true, 0}, {3, false, 4}, {4, true, 0}};
  std::vector<Choice> choices = serve_order(Order::rank, status);
  EXPECT_EQ(nodes_of(choices), (std::vector{3, 4, 9}));
  EXPECT_EQ(choices[0].reason, Reason::rank_order);
}

TEST(any_status, gives_each_node_once_and_the_next_is_the_first) {
  Dice dice(5);
  for (int time = 0; time < 200; ++time) {
    std::vector<StatusEntry> status;
    for (int node = 0; node < 40; ++node)
      status.push_back(
          {node, dice.below(2) == 0, dice.below(6) * (dice.below(9) ? 1 : ~Bytes{0} / 6)});
    for (Order order : {Order::rank, Order::status}) {
      std::vector<Choice> choices = serve_order(order, status);
      EXPECT_EQ(choices[0], choose_next(order, status));
      std::vector<int> nodes = nodes_of(choices);
      std::ranges::sort(nodes);
      for (int node = 0; node < 40; ++node) EXPECT_EQ(nodes[static_cast<std::size_t>(node)], node);
    }
  }
}

TEST(no_nodes, have_an_empty_order) {
  EXPECT_TRUE(serve_order(Order::status, {}).empty());
}

}  // namespace
}  // namespace baton::bus
