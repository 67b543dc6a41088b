// What is chosen of several ways when each takes a given time.
#include "transport/move/adaptive_choice.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace baton::transport {
namespace {

constexpr int in_a_row = 4;

// Moves that follow each other: each way has a cost, and what the program does between two moves
// takes a time that depends on the way, too.
template <int ways>
struct Moves {
  AdaptiveChoice<ways> choice;
  std::int64_t clock = 1000000;
  std::vector<std::int64_t> cost, between = std::vector<std::int64_t>(ways, 0), later = between;

  explicit Moves(std::vector<std::int64_t> costs) : cost(std::move(costs)) {}
  int move() {
    const int way = choice.now();
    const auto at = static_cast<std::size_t>(way);
    clock += cost[at] + between[at];
    choice.took(way, {cost[at], later[at]}, clock, in_a_row);
    return way;
  }
  // How many of some moves went by a way.
  int count(int way, int moves) {
    int number = 0;
    for (int i = 0; i < moves; ++i) number += move() == way;
    return number;
  }
};

TEST(adaptive_choice, begins_with_the_first_way_and_tries_the_other_soon) {
  Moves<2> moves({1000, 2000});
  EXPECT_EQ(moves.count(0, 3), 3);
  EXPECT_FALSE(moves.choice.has_seen_all());
  EXPECT_EQ(moves.count(1, in_a_row), in_a_row);
  EXPECT_TRUE(moves.choice.has_seen_all());
  EXPECT_EQ(moves.count(0, 12), 12);
  EXPECT_EQ(moves.count(1, in_a_row), in_a_row);
}

TEST(adaptive_choice, takes_what_costs_clearly_less) {
  Moves<2> near_tie({1000, 950}), clear({1000, 850});
  near_tie.count(0, 7);
  clear.count(0, 7);
  EXPECT_EQ(near_tie.choice.now(), 0);
  EXPECT_EQ(clear.choice.now(), 1);
}

TEST(adaptive_choice, tries_less_often_as_long_as_nothing_changes) {
  Moves<2> moves({1000, 3000});
  moves.count(0, 5000);
  EXPECT_LE(moves.count(1, 10000), 40);
  EXPECT_GE(moves.count(1, 10000), 4);
}

TEST(adaptive_choice, counts_a_guess_of_what_comes_later_only_where_it_does_not_measure_it) {
  Moves<2> close({1000, 800}), far_apart({1000, 800});
  close.later = far_apart.later = {0, 400};
  far_apart.between = {50000, 50000};
  close.count(0, 100);
  far_apart.count(0, 100);
  EXPECT_GE(close.count(1, 100), 90);
  EXPECT_GE(far_apart.count(0, 100), 90);
}

TEST(adaptive_choice, counts_what_the_program_pays_between_moves) {
  Moves<2> moves({1000, 900});
  moves.between = {500, 4000};
  moves.count(0, 100);
  EXPECT_GE(moves.count(0, 100), 90) << "a cost of .9 with a period of 3.2";
  moves.between = {4000, 500};
  moves.count(0, 100);
  EXPECT_GE(moves.count(1, 100), 90);
}

TEST(adaptive_choice, leaves_periods_out_that_are_mostly_something_else) {
  Moves<2> moves({1000, 700});
  moves.between = {100000, 120000};
  moves.count(0, 100);
  EXPECT_GE(moves.count(1, 100), 90);
}

TEST(adaptive_choice, leaves_periods_out_where_moves_overlap) {
  AdaptiveChoice<2> choice;
  std::int64_t clock = 1000000;
  // By the first way ten end at a time, and no other for long.
  for (int i = 0; i < 400; ++i) {
    const int way = choice.now();
    clock += way == 1 ? 1200 : i % 10 ? 1 : 2000;
    choice.took(way, {way == 1 ? 1000 : 2000}, clock, in_a_row);
  }
  EXPECT_EQ(choice.now(), 1);
}

TEST(adaptive_choice, looks_again_soon_when_the_way_in_use_takes_another_time) {
  Moves<2> moves({1000, 3000});
  moves.count(0, 5000);
  moves.cost = {5000, 3000};
  moves.count(0, 100);
  EXPECT_GE(moves.count(1, 100), 80);
  moves.count(0, 5000);
  moves.cost = {500,
                1500};  // both are quicker: the one in use does not tell whether it is the best
  moves.count(0, 200);
  EXPECT_GE(moves.count(0, 100), 80);
}

TEST(adaptive_choice, is_not_moved_by_single_outliers) {
  Moves<2> moves({1000, 1500});
  moves.count(0, 200);
  for (int i = 0; i < 20; ++i) {
    moves.choice.took(0, {1000000}, moves.clock += 1000000, in_a_row);
    EXPECT_GE(moves.count(0, 20), 20 - in_a_row) << i;
  }
}

TEST(adaptive_choice, pays_for_moves_that_were_under_way_when_a_trial_ended) {
  // The way of a move is chosen 60 moves before it ends.
  Moves<2> moves({1000, 3000});
  std::vector<int> under_way(60, 0);
  int tried = 0;
  for (std::size_t i = 0; i < 20000; ++i) {
    int& way = under_way[i % 60];
    moves.clock += moves.cost[static_cast<std::size_t>(way)];
    moves.choice.took(way, {moves.cost[static_cast<std::size_t>(way)]}, moves.clock, in_a_row);
    tried += way;
    way = moves.choice.now();
  }
  EXPECT_LE(tried, 1500);
}

TEST(adaptive_choice, does_not_try_to_the_end_what_takes_twice_the_time) {
  Moves<2> moves({1000, 2500});
  EXPECT_EQ(moves.count(1, 15), 2) << "the first says nothing of a period";
}

TEST(adaptive_choice, ends_a_trial_of_a_way_that_no_move_takes) {
  AdaptiveChoice<2> choice;
  std::int64_t clock = 1000000;
  int trying = 0;
  for (int i = 0; i < 3000; ++i) {
    choice.took(0, {1000}, clock += 1000, in_a_row);
    trying += choice.now() == 1;
  }
  EXPECT_LT(trying, 3000 - 3);
  EXPECT_GT(trying, 0);
}

TEST(adaptive_choice, tries_what_is_asked_for_unless_it_tries_already) {
  Moves<2> moves({1000, 2000});
  moves.count(0, 8);
  moves.choice.try_too(0, in_a_row);
  EXPECT_EQ(moves.choice.now(), 0);
  moves.choice.try_too(1, in_a_row);
  EXPECT_EQ(moves.count(1, 10), in_a_row);
  moves.choice.use(1);
  EXPECT_EQ(moves.choice.now(), 1);
}

TEST(adaptive_choice, is_among_the_ways_that_are_open) {
  AdaptiveChoice<4> choice;
  bool tried[4] = {};
  for (int i = 0; i < 1000; ++i) {
    tried[choice.now()] = true;
    choice.took(choice.now(), {1000}, 0, in_a_row, 3);
  }
  EXPECT_TRUE(tried[1] && tried[2]);
  EXPECT_FALSE(tried[3]);
}

TEST(adaptive_choice, finds_the_quickest_of_four) {
  Moves<4> moves({400000, 300000, 100000, 200000});
  moves.count(0, 60);
  EXPECT_TRUE(moves.choice.has_seen_all());
  EXPECT_GE(moves.count(2, 1000), 900);
  moves.cost = {400000, 90000, 100000, 60000};
  moves.count(0, 10000);
  EXPECT_GE(moves.count(3, 1000), 900);
}

}  // namespace
}  // namespace baton::transport
