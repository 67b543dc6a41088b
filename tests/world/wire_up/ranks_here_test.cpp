#include "world/wire_up/ranks_here.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace {

using Ranks = std::vector<int>;

Ranks of_mapping(std::string_view text, int rank, int size) {
  Ranks here(static_cast<std::size_t>(size));
  here.resize(
      static_cast<std::size_t>(baton::world::ranks_of_mapping(text, rank, size, here.data())));
  return here;
}

Ranks of_list(std::string_view text, int rank, int size) {
  Ranks here(static_cast<std::size_t>(size));
  here.resize(static_cast<std::size_t>(baton::world::ranks_of_list(text, rank, size, here.data())));
  return here;
}

TEST(ranks_here, come_from_blocks) {
  EXPECT_EQ(of_mapping("(vector,(0,2,2))", 1, 4), (Ranks{0, 1}));
  EXPECT_EQ(of_mapping("(vector,(0,2,2))", 2, 4), (Ranks{2, 3}));
  EXPECT_EQ(of_mapping("(vector,(0,1,3),(1,1,1))", 3, 4), (Ranks{3}));
  EXPECT_EQ(of_mapping("(vector,(0,1,3),(1,1,1))", 0, 4), (Ranks{0, 1, 2}));
}

TEST(ranks_here, come_from_blocks_that_are_gone_through_again) {
  EXPECT_EQ(of_mapping("(vector,(0,2,1))", 0, 5), (Ranks{0, 2, 4}));
  EXPECT_EQ(of_mapping("(vector,(0,2,1))", 3, 5), (Ranks{1, 3}));
}

TEST(ranks_here, are_none_where_blocks_make_no_sense) {
  for (const char* text :
       {"", "(vector", "(vector)", "(vector,", "(vector,(0,2,2)", "(vector,(0,2,0))",
        "(vector,(0,0,2))", "(vector,(0,2))", "(vector,(0,2,-2))", "(matrix,(0,2,2))",
        "(vector,(0,2,2)))", "(vector,(0,99999999999,2))", "(vector (0,2,2))"})
    EXPECT_EQ(of_mapping(text, 1, 4), Ranks{}) << text;
}

TEST(ranks_here, of_huge_blocks_are_the_jobs_only) {
  EXPECT_EQ(of_mapping("(vector,(2147483647,2147483647,2147483647))", 1, 3), (Ranks{0, 1, 2}));
}

TEST(ranks_here, come_from_lists_in_any_order) {
  EXPECT_EQ(of_list("3,1,2", 1, 4), (Ranks{1, 2, 3}));
  EXPECT_EQ(of_list("0-2,5", 5, 6), (Ranks{0, 1, 2, 5}));
  EXPECT_EQ(of_list("0", 0, 1), (Ranks{0}));
}

TEST(ranks_here, are_none_where_lists_make_no_sense) {
  for (const char* text : {"", "0,2", "1,1", "1,,2", "1,9", "-1,1", "2-1,1", "0-3,1", "1,x",
                           "0-2147483647", "1-", " 1"})
    EXPECT_EQ(of_list(text, 1, 4), Ranks{}) << text;
}

// Sanitizers look at this, too.
TEST(ranks_here, survive_texts_that_were_changed_anywhere) {
  std::mt19937 random(7);
  for (int turn = 0; turn < 20000; ++turn) {
    std::string text = turn % 2 ? "(vector,(0,2,2),(1,3,4))" : "0,1-3,5,7";
    for (int change = 0; change < 3; ++change) {
      const std::size_t at = random() % text.size();
      if (random() % 4 == 0)
        text.resize(at + 1);
      else
        text[at] = "0123456789,()-v \n"[random() % 17];
    }
    for (const Ranks& here : {of_mapping(text, 1, 9), of_list(text, 1, 9)})
      if (!here.empty()) {
        EXPECT_TRUE(std::is_sorted(here.begin(), here.end())) << text;
        EXPECT_NE(std::find(here.begin(), here.end(), 1), here.end()) << text;
        EXPECT_LT(here.back(), 9);
      }
  }
}

}  // namespace
