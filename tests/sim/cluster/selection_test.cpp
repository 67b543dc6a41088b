// What is chosen is the library's: its rows, its code.
#include "sim/cluster/selection.hpp"

#include <gtest/gtest.h>

namespace baton::cluster {
namespace {

TEST(Selection, rooms_are_for_one_node) {
  for (int kind = 0; kind < collective_kind_count; ++kind) {
    const auto chosen = chosen_by_library(static_cast<CollectiveKind>(kind), 64, 16, 8);
    EXPECT_EQ(chosen.algorithm.find("in_room"), std::string::npos) << chosen.algorithm;
  }
  EXPECT_NE(chosen_by_library(CollectiveKind::barrier, 16, 16, 0).algorithm.find("in_room"),
            std::string::npos);
}

TEST(Selection, is_that_of_choose) {
  collective::Situation situation{CollectiveKind::allreduce, 64};
  situation.several_nodes = true;
  situation.grouping = collective::Grouping::in_order;
  situation.shared_nodes = situation.regular_nodes = true;
  situation.room_bytes_max = 65536;
  for (std::int64_t bytes : {8, 4096, 8192, 1 << 20}) {
    situation.bytes = bytes;
    const auto choice = collective::choose(situation, default_selection());
    EXPECT_EQ(chosen_by_library(CollectiveKind::allreduce, 64, 16, bytes).algorithm,
              row_of(choice.algorithm).name);
  }
}

TEST(Selection, nodes_of_several_ranks_divide_a_collective) {
  auto chosen = [](int ranks, int per_node) {
    return chosen_by_library(CollectiveKind::allreduce, ranks, per_node, 1 << 20).algorithm;
  };
  EXPECT_EQ(chosen(64, 1), "allreduce_halving");
  EXPECT_EQ(chosen(64, 4), "allreduce_by_nodes_in_parts");
  EXPECT_EQ(chosen(63, 4), "allreduce_by_nodes");  // the last node has fewer
  EXPECT_EQ(chosen(64, 64).find("by_nodes"), std::string::npos);
}

TEST(Selection, what_needs_equal_nodes_says_so) {
  const Known& allgather = *find_algorithm("allgather_by_nodes");
  EXPECT_EQ(unequal_nodes(allgather, 64, 4), "");
  EXPECT_NE(unequal_nodes(allgather, 63, 4), "");
  EXPECT_EQ(unequal_nodes(*find_algorithm("allgather_ring"), 63, 4), "");
}

TEST(Selection, other_names_are_refused) {
  EXPECT_THROW(kind_of("allgatherv"), std::runtime_error);
  EXPECT_EQ(kind_of("alltoall"), CollectiveKind::alltoall);
}

}  // namespace
}  // namespace baton::cluster
