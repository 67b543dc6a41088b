#include "topology/pattern.hpp"

#include <map>
#include <numeric>

#include "tests/topology/machines.hpp"

using namespace baton;
using namespace baton::topology;
using namespace baton::test;

TEST(pattern, both_ends_know_every_edge_and_nobody_talks_to_itself) {
  Edge edges[] = {{0, 1, 3}, {1, 0, 4}, {2, 2, 9}, {1, 3, 5}};
  Pattern pattern;
  ASSERT_TRUE(pattern.build(4, edges, 4));
  std::map<std::pair<int, int>, std::int64_t> weights;
  std::int64_t ends = 0;
  for (int rank = 0; rank < 4; ++rank)
    for (std::int64_t i = pattern.begin(rank); i < pattern.end(rank); ++i, ++ends)
      weights[{rank, pattern.neighbor(i)}] += pattern.weight(i);
  EXPECT_EQ(ends, 6);
  EXPECT_EQ(weights, (std::map<std::pair<int, int>, std::int64_t>{
                         {{0, 1}, 7}, {{1, 0}, 7}, {{1, 3}, 5}, {{3, 1}, 5}}));
}

TEST(pattern, a_grid_has_its_nearest_neighbors) {
  int extents[] = {3, 1, 4}, open[] = {0, 0, 0}, rings[] = {1, 1, 1};
  Pattern pattern;
  ASSERT_TRUE(pattern.build(Grid{3, extents, open, nullptr}));
  EXPECT_EQ(pattern.ranks(), 12);
  EXPECT_EQ(pattern.end(11), 2 * (2 * 4 + 3 * 3));
  EXPECT_EQ(pattern.end(0) - pattern.begin(0), 2);
  ASSERT_TRUE(pattern.build(Grid{3, extents, rings, nullptr}));
  EXPECT_EQ(pattern.end(11), 2 * (12 + 12));
}

TEST(pattern, hop_weight_counts_every_edge_once) {
  auto places = places_on(two_sockets_few_l3, {.ranks = 96});
  PlaceTree tree;
  ASSERT_TRUE(tree.build(places.data(), 96));
  ASSERT_EQ(tree.levels(), 2);
  Edge edges[] = {{0, 1, 10}, {0, 24, 100}, {95, 0, 1000}};
  Pattern pattern;
  ASSERT_TRUE(pattern.build(96, edges, 3));
  std::vector<std::int32_t> slots(96);
  std::iota(slots.begin(), slots.end(), 0);
  EXPECT_EQ(hop_weight(pattern, tree, slots.data()), 10 * 1 + 100 * 2 + 1000 * 3);
}
