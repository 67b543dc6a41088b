// What algorithms need, and that each is reached where it can serve, and nowhere else.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/collective/situations.hpp"

namespace baton::collective {
namespace {

TEST(algorithms, are_named_after_their_kind) {
  std::set<std::string> names;
  for (const AlgorithmRow& row : algorithm_rows) {
    std::string kind = collective_kind_names[static_cast<int>(row.kind)];
    EXPECT_EQ(std::string(row.name).find(kind + "_"), 0u) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}

TEST(algorithms, can_all_be_reached_by_asking_for_them) {
  for (int i = 0; i < algorithm_count; ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    const std::vector<SelectionRow> rows = defaults_and(forced(algorithm));
    int reached = 0, refused = 0;
    each_situation(row_of(algorithm).kind, [&](const Situation& s) {
      const Choice choice = choose(s, rows);
      const bool serves = !obstacle(algorithm, s);
      ASSERT_EQ(choice.algorithm == algorithm && choice.reason == ChoiceReason::forced, serves)
          << row_of(algorithm).name << ": " << testing::PrintToString(s);
      ++(serves ? reached : refused);
    });
    EXPECT_GT(reached, 0) << row_of(algorithm).name;
    EXPECT_EQ(refused > 0, row_of(algorithm).rounds > 0 || row_of(algorithm).needs != 0);
  }
}

TEST(algorithms, are_never_chosen_where_they_cannot_serve) {
  const auto serves = [](const Situation& s, const std::vector<SelectionRow>& rows) {
    const Choice choice = choose(s, rows);
    ASSERT_EQ(row_of(choice.algorithm).kind, s.kind) << testing::PrintToString(s);
    // A call that is in place and not in place is none; every other one can be served.
    ASSERT_FALSE(obstacle(choice.algorithm, s)) << testing::PrintToString(s);
  };
  const std::vector<SelectionRow> defaults{default_selection().begin(), default_selection().end()};
  each_situation([&](const Situation& s) {
    serves(s, {});
    serves(s, defaults);
  });
  // Rows of one kind of collective say nothing about another.
  for (int i = 0; i < algorithm_count; ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    const std::vector<SelectionRow> alone{forced(algorithm)}, added = defaults_and(forced(algorithm));
    each_situation(row_of(algorithm).kind, [&](const Situation& s) {
      serves(s, alone);
      serves(s, added);
    });
  }
}

TEST(needs, are_obstacles_where_they_are_not_met) {
  Situation s{Kind::allgather, 3};
  s.uneven = true;
  EXPECT_EQ(obstacle(Algorithm::allgather_in_room, s), ChoiceReason::uneven);
  s = {Kind::alltoall, 3};
  EXPECT_EQ(obstacle(Algorithm::alltoall_in_place, s), ChoiceReason::not_in_place);
  s.in_place = true;
  EXPECT_EQ(obstacle(Algorithm::alltoall_pairwise, s), ChoiceReason::in_place);
  s = {Kind::broadcast, 3};
  s.direct = false;
  EXPECT_EQ(obstacle(Algorithm::broadcast_direct, s), ChoiceReason::not_direct);
  s = {Kind::barrier, 3};
  EXPECT_EQ(obstacle(Algorithm::barrier_hierarchical_in_room, s), ChoiceReason::no_groups);
  s = {Kind::reduce, 3};
  s.grouping = Grouping::mixed;
  EXPECT_EQ(obstacle(Algorithm::reduce_hierarchical_in_room, s), std::nullopt);
  s.commuting = false;
  EXPECT_EQ(obstacle(Algorithm::reduce_hierarchical_in_room, s), ChoiceReason::mixed_groups);
  s.grouping = Grouping::in_order;
  EXPECT_EQ(obstacle(Algorithm::reduce_hierarchical_in_room, s), std::nullopt);
  s = {Kind::barrier, 1};
  EXPECT_EQ(obstacle(Algorithm::barrier_in_room, s), ChoiceReason::one_rank);
}

}  // namespace
}  // namespace baton::collective
