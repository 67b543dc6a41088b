#include "collective/next_served.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

namespace {

using baton::collective::looks_max;
using baton::collective::next_served;
using baton::collective::take_waiting;

// All of them in the order in which they are served; `class_of(rank, turn)`.
template <class ClassOf>
std::vector<int> order_of(std::vector<int> waiting, ClassOf class_of) {
  std::vector<int> order;
  int* first = waiting.data();
  int count = static_cast<int>(waiting.size());
  while (count > 0) {
    const int turn = static_cast<int>(order.size());
    const int chosen = next_served(first, count, [&](int rank) { return class_of(rank, turn); });
    order.push_back(take_waiting(first, count, chosen));
  }
  return order;
}

std::vector<int> ranks_from(int first, int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

TEST(serving, goes_by_rank_where_all_are_idle) {
  EXPECT_EQ(order_of(ranks_from(1, 7), [](int, int) { return 0; }), ranks_from(1, 7));
}

TEST(serving, goes_by_rank_where_all_are_busy_alike) {
  EXPECT_EQ(order_of(ranks_from(1, 7), [](int, int) { return 4; }), ranks_from(1, 7));
}

// The study's example, 32 nodes: 1 and 2 have most to do, 5 and 6 least.
TEST(serving, takes_idle_ones_first_and_then_those_with_least_to_do) {
  auto class_of = [](int rank, int) { return rank <= 2 ? 5 : rank <= 4 ? 3 : rank <= 6 ? 2 : 0; };
  std::vector<int> expected = ranks_from(7, 25);
  for (int rank : {5, 6, 3, 4, 1, 2}) expected.push_back(rank);
  EXPECT_EQ(order_of(ranks_from(1, 31), class_of), expected);
}

TEST(serving, looks_again_before_each_choice) {
  // 1 becomes idle after two others, 2 never does.
  auto class_of = [](int rank, int turn) { return rank == 2 ? 9 : rank == 1 && turn < 2 ? 5 : 0; };
  EXPECT_EQ(order_of(ranks_from(1, 5), class_of), (std::vector<int>{3, 4, 1, 5, 2}));
}

TEST(serving, serves_everybody_once_whatever_the_board_says) {
  unsigned seed = 1;
  for (int count : {0, 1, 2, 3, 31, 63, 64, 65, 500}) {
    auto lies = [&seed](int, int) { return static_cast<int>((seed = seed * 69069 + 1) >> 24); };
    const std::vector<int> order = order_of(ranks_from(0, count), lies);
    EXPECT_EQ(order.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), order.size());
  }
}

TEST(serving, looks_at_some_only_for_one_choice) {
  std::vector<int> waiting = ranks_from(0, 4096);
  int looks = 0;
  EXPECT_EQ(
      next_served(waiting.data(), 4096, [&](int rank) { return ++looks, rank == 63 ? 1 : 2; }), 63);
  EXPECT_EQ(looks, looks_max);
  looks = 0;
  EXPECT_EQ(next_served(waiting.data(), 4096, [&](int rank) { return ++looks, rank < 5; }), 5);
  EXPECT_EQ(looks, 6);
}

}  // namespace
