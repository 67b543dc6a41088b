// Who copies when from or to one rank's memory.
#include "collective/room/turn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace baton::collective {
namespace {

template <class Do>
void each_bounded_case(Do&& act) {
  for (int ranks : {1, 2, 3, 5, 9, 16})
    for (int root = 0; root < ranks; ++root)
      for (int at_once : {1, 2, 3, 8, 15, 16, 4096}) act(ranks, root, at_once);
}

TEST(turns, go_round_from_the_root_s_right_neighbor) {
  EXPECT_EQ(turn_of(3, 2, 5, 2).before, -1);
  EXPECT_EQ(turn_of(4, 2, 5, 2).before, -1);
  EXPECT_EQ(turn_of(0, 2, 5, 2).before, 3);
  EXPECT_EQ(turn_of(1, 2, 5, 2).before, 4);
  EXPECT_EQ(turn_of(3, 2, 5, 2).after, 0);
  EXPECT_EQ(turn_of(4, 2, 5, 2).after, 1);
  EXPECT_EQ(turn_of(0, 2, 5, 2).after, -1);
}

TEST(turns, are_nobody_s_without_a_bound) {
  for (int rank : {1, 2, 3}) {
    EXPECT_EQ(turn_of(rank, 0, 4, 0).before, -1);
    EXPECT_EQ(turn_of(rank, 0, 4, 0).after, -1);
  }
}

TEST(turns, are_passed_on_to_who_waits_for_them) {
  each_bounded_case([](int ranks, int root, int at_once) {
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank == root) continue;
      const Turn turn = turn_of(rank, root, ranks, at_once);
      EXPECT_NE(turn.before, root);
      EXPECT_NE(turn.after, root);
      if (turn.before >= 0) {
        EXPECT_EQ(turn_of(turn.before, root, ranks, at_once).after, rank);
      }
      if (turn.after >= 0) {
        EXPECT_EQ(turn_of(turn.after, root, ranks, at_once).before, rank);
      }
    }
  });
}

TEST(turns, come_to_everybody_and_to_few_at_a_time) {
  each_bounded_case([](int ranks, int root, int at_once) {
    std::vector<bool> done(static_cast<std::size_t>(ranks));
    done[static_cast<std::size_t>(root)] = true;
    // In each round all copy that may.
    for (int left = ranks - 1; left > 0;) {
      std::vector<int> copying;
      for (int rank = 0; rank < ranks; ++rank) {
        const int before = turn_of(rank, root, ranks, at_once).before;
        if (!done[static_cast<std::size_t>(rank)] &&
            (before < 0 || done[static_cast<std::size_t>(before)]))
          copying.push_back(rank);
      }
      ASSERT_EQ(static_cast<int>(copying.size()), std::min(left, at_once));
      for (int rank : copying) done[static_cast<std::size_t>(rank)] = true;
      left -= static_cast<int>(copying.size());
    }
  });
}

}  // namespace
}  // namespace baton::collective
