// Rows of the selection of algorithms as text.
#include "base/selection.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/shipped_profile.hpp"

namespace baton {
namespace {

struct Entry {
  SelectionRow row;
  std::string problem;
};

std::vector<Entry> entries(const char* text) {
  std::vector<Entry> all;
  SelectionRow row{};
  char problem[problem_length];
  while (next_selection_row(&text, SelectionSource::forced, &row, problem))
    all.push_back({row, problem});
  return all;
}

Entry only_entry(const char* text) {
  std::vector<Entry> all = entries(text);
  EXPECT_EQ(all.size(), 1u) << text;
  return all.empty() ? Entry{} : all[0];
}

TEST(selection_text, a_kind_alone_holds_for_all_its_calls) {
  Entry one = only_entry("allreduce=allreduce_halving");
  EXPECT_EQ(one.problem, "");
  EXPECT_EQ(one.row.algorithm, Algorithm::allreduce_halving);
  EXPECT_EQ(one.row.source, SelectionSource::forced);
  EXPECT_EQ(one.row.ranks_from, 1);
  EXPECT_EQ(one.row.ranks_to, no_end);
  EXPECT_EQ(one.row.bytes_from, 0);
  EXPECT_EQ(one.row.bytes_to, no_end);
  EXPECT_EQ(one.row.load, Load::any);
}

TEST(selection_text, ranges_have_a_begin_and_maybe_an_end) {
  SelectionRow row = only_entry("allreduce:2+:8k+=allreduce_halving").row;
  EXPECT_EQ(row.ranks_from, 2);
  EXPECT_EQ(row.ranks_to, no_end);
  EXPECT_EQ(row.bytes_from, 8192);
  EXPECT_EQ(row.bytes_to, no_end);
  row = only_entry("allreduce:4-7:100-1M:oversubscribed=allreduce_halving").row;
  EXPECT_EQ(row.ranks_from, 4);
  EXPECT_EQ(row.ranks_to, 7);
  EXPECT_EQ(row.bytes_from, 100);
  EXPECT_EQ(row.bytes_to, 1 << 20);
  EXPECT_EQ(row.load, Load::oversubscribed);
  // The former words.
  row = only_entry("allreduce:4-7:100-1M:crowded=allreduce_halving").row;
  EXPECT_EQ(row.load, Load::oversubscribed);
  row = only_entry("allreduce:4-7:100-1M:uncrowded=allreduce_halving").row;
  EXPECT_EQ(row.load, Load::not_oversubscribed);
  row = only_entry("allreduce:3:9:not_oversubscribed=allreduce_halving").row;
  EXPECT_EQ(row.ranks_to, 3);
  EXPECT_EQ(row.bytes_to, 9);
  EXPECT_EQ(row.load, Load::not_oversubscribed);
}

TEST(selection_text, rows_are_for_one_node_or_several_or_both) {
  auto nodes_of = [](const char* text, SelectionSource source) {
    SelectionRow row{};
    char problem[problem_length];
    EXPECT_TRUE(next_selection_row(&text, source, &row, problem));
    EXPECT_STREQ(problem, "");
    return row.nodes;
  };
  const char* plain = "scan:2+:0+:oversubscribed=scan_doubling";
  EXPECT_EQ(nodes_of(plain, SelectionSource::forced), Nodes::any);
  EXPECT_EQ(nodes_of(plain, SelectionSource::tuned), Nodes::one);
  SelectionRow row = only_entry("scan:2+:0+:several_nodes=scan_doubling").row;
  EXPECT_EQ(row.nodes, Nodes::several);
  EXPECT_EQ(row.load, Load::any);
  row = only_entry("scan:2+:0+:oversubscribed:one_node=scan_doubling").row;
  EXPECT_EQ(row.nodes, Nodes::one);
  EXPECT_EQ(row.load, Load::oversubscribed);
}

TEST(selection_text, rows_are_for_near_ranks_or_far_ones_or_any) {
  EXPECT_EQ(only_entry("scan:2=scan_doubling").row.apart, Apart::any);
  EXPECT_EQ(only_entry("scan:2:0+:near=scan_doubling").row.apart, Apart::near);
  const SelectionRow row = only_entry("scan:2:0+:far:oversubscribed:one_node=scan_doubling").row;
  EXPECT_EQ(row.apart, Apart::far);
  EXPECT_EQ(row.load, Load::oversubscribed);
  EXPECT_EQ(row.nodes, Nodes::one);
}

TEST(selection_text, says_whether_it_names_a_distance) {
  use_shipped_profile("emerald_rapids");
  EXPECT_FALSE(selection_names_distance(""));
  EXPECT_FALSE(selection_names_distance("scan:2:0+:oversubscribed=scan_doubling,wrong:2:0:near"));
  EXPECT_TRUE(selection_names_distance("scan=scan_doubling,,scan:2:0+:far=scan_doubling"));
  use_shipped_profile("zen4");
  EXPECT_TRUE(selection_names_distance(""));
  use_shipped_profile(nullptr);
}

TEST(selection_text, entries_are_read_in_order_and_a_wrong_one_leaves_the_others) {
  auto all = entries(",barrier=barrier_in_room,,nonsense,scan=scan_doubling,");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].row.algorithm, Algorithm::barrier_in_room);
  EXPECT_NE(all[1].problem, "");
  EXPECT_EQ(all[2].row.algorithm, Algorithm::scan_doubling);
  EXPECT_EQ(all[2].problem, "");
  EXPECT_TRUE(entries("").empty());
}

TEST(selection_text, every_algorithm_can_be_named) {
  for (const AlgorithmRow& row : algorithm_rows) {
    std::string text =
        std::string(collective_kind_names[static_cast<int>(row.kind)]) + "=" + row.name;
    EXPECT_EQ(only_entry(text.c_str()).problem, "") << text;
  }
}

TEST(selection_text, former_names_mean_what_is_called_otherwise_now) {
  const struct {
    const char* text;
    Algorithm algorithm;
  } cases[] = {
      {"allgather=allgather_by_pieces_in_room", Algorithm::allgather_segmented_in_room},
      {"alltoall:2=alltoall_by_pieces_in_room", Algorithm::alltoall_segmented_in_room},
      {"allreduce:2:8k+=allreduce_by_pieces_in_room", Algorithm::allreduce_segmented_in_room},
      {"reduce_scatter=reduce_scatter_by_pieces_in_room",
       Algorithm::reduce_scatter_segmented_in_room},
      {"barrier=barrier_by_groups_in_room", Algorithm::barrier_hierarchical_in_room},
      {"broadcast:2=broadcast_by_groups_in_room", Algorithm::broadcast_hierarchical_in_room},
      {"reduce=reduce_by_groups_in_room", Algorithm::reduce_hierarchical_in_room},
      {"allreduce=allreduce_by_groups_in_room", Algorithm::allreduce_hierarchical_in_room},
      {"neighbour_allgather=neighbour_allgather_exchange", Algorithm::neighbor_allgather_exchange},
      {"neighbour_alltoall=neighbour_alltoall_exchange", Algorithm::neighbor_alltoall_exchange},
      {"neighbor_alltoall=neighbour_alltoall_exchange", Algorithm::neighbor_alltoall_exchange},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(only_entry(one.text).problem, "") << one.text;
    EXPECT_EQ(only_entry(one.text).row.algorithm, one.algorithm) << one.text;
  }
}

TEST(selection_text, no_former_name_is_one_of_today) {
  for (const FormerName& one : former_names)
    for (const AlgorithmRow& row : algorithm_rows) EXPECT_NE(one.former, row.name);
}

TEST(selection_text, what_is_unknown_is_told_with_the_nearest_name) {
  EXPECT_EQ(only_entry("allreduce=allreduce_halfing").problem,
            "there is no algorithm \"allreduce_halfing\"; the nearest is allreduce_halving");
  EXPECT_EQ(only_entry("allreduces=allreduce_halving").problem,
            "there is no collective \"allreduces\"; the nearest is allreduce");
  std::string long_name = "allreduce=" + std::string(500, 'x');
  EXPECT_NE(only_entry(long_name.c_str()).problem.find("there is no algorithm"), std::string::npos);
}

TEST(selection_text, what_is_wrong_is_told_in_words) {
  const struct {
    const char* text;
    const char* words;
  } cases[] = {
      {"allreduce", "no =ALGORITHM"},
      {"allreduce:2+", "no =ALGORITHM"},
      {"allreduce=", "no algorithm \"\""},
      {"allreduce=broadcast_binomial", "an algorithm of broadcast, not of allreduce"},
      {"allreduce:x=allreduce_halving", "number of ranks"},
      {"allreduce:4-2=allreduce_halving", "number of ranks"},
      {"allreduce:=allreduce_halving", "number of ranks"},
      {"allreduce:2+:8q=allreduce_halving", "number of bytes"},
      {"allreduce:2+:99999999999999999999+=allreduce_halving", "number of bytes"},
      {"allreduce:2+:-8=allreduce_halving", "number of bytes"},
      {"allreduce:2+:8+:full=allreduce_halving",
       "none of oversubscribed, not_oversubscribed, one_node, several_nodes, near and far"},
      {"allreduce:2+:8+:oversubscribed:=allreduce_halving", "\"\" is none of"},
      {"allreduce:2+:8+:oversubscribed:not_oversubscribed=allreduce_halving",
       "of each kind at most one"},
      {"allreduce:2+:8+:near:far=allreduce_halving", "of each kind at most one"},
      {"allreduce:2+:8+:one_node:oversubscribed:one_node=allreduce_halving",
       "of each kind at most one"},
  };
  for (const auto& one : cases)
    EXPECT_NE(only_entry(one.text).problem.find(one.words), std::string::npos)
        << one.text << ": " << only_entry(one.text).problem;
}

TEST(selection, has_the_profiles_rows_behind_the_built_in_ones_and_the_environments_last) {
  setenv("BATON_PROFILE_COLLECTIVES", "allreduce:2+:8+=allreduce_doubling,wrong", 1);
  setenv("BATON_COLLECTIVES", "allreduce=allreduce_halving,x=y", 1);
  testing::internal::CaptureStderr();
  read_selection(true);
  std::string said = testing::internal::GetCapturedStderr();
  unsetenv("BATON_PROFILE_COLLECTIVES");
  unsetenv("BATON_COLLECTIVES");
  EXPECT_NE(said.find("in BATON_PROFILE_COLLECTIVES an entry is ignored"), std::string::npos);
  EXPECT_NE(said.find("in BATON_COLLECTIVES an entry is ignored: there is no collective \"x\""),
            std::string::npos)
      << said;
  ASSERT_EQ(selection().size(), default_selection().size() + 2);
  EXPECT_EQ(selection()[selection().size() - 2].source, SelectionSource::tuned);
  EXPECT_EQ(selection().back().source, SelectionSource::forced);
  EXPECT_EQ(selection().back().algorithm, Algorithm::allreduce_halving);
}

}  // namespace
}  // namespace baton
