#include "topology/box.hpp"

#include <gtest/gtest.h>

#include <vector>

using namespace baton::topology;

namespace {

Slim slim(std::vector<int> extents, std::vector<int> periods) {
  Slim made;
  EXPECT_TRUE(
      made.take({static_cast<int>(extents.size()), extents.data(), periods.data(), nullptr}));
  return made;
}

std::vector<int> blocks(const Slim& grid, int positions) {
  int extents[box_dimensions_max];
  if (!choose_blocks(grid, grid.whole(), positions, extents)) return {};
  return {extents, extents + grid.dimensions};
}

}  // namespace

TEST(box, dimensions_of_one_are_left_out) {
  Slim grid = slim({1, 4, 1, 3}, {1, 1, 0, 0});
  EXPECT_EQ(grid.dimensions, 2);
  int at[] = {2, 1};
  EXPECT_EQ(grid.rank_at(at), 7);
}

TEST(box, blocks_have_the_least_surface) {
  EXPECT_EQ(blocks(slim({8, 8, 2}, {0, 0, 0}), 64), (std::vector{4, 8, 2}));
  EXPECT_EQ(blocks(slim({8, 8}, {0, 0}), 16), (std::vector{4, 4}));
  EXPECT_EQ(blocks(slim({16, 4}, {0, 0}), 16), (std::vector{4, 4}));
  EXPECT_EQ(blocks(slim({6, 5}, {0, 0}), 15), (std::vector{3, 5}));
}

TEST(box, a_ring_is_cut_twice) {
  EXPECT_EQ(blocks(slim({4, 6}, {0, 0}), 12), (std::vector{4, 3}));
  EXPECT_EQ(blocks(slim({4, 6}, {0, 1}), 12), (std::vector{2, 6}));
  EXPECT_EQ(choose_plane(slim({4, 6}, {0, 1}), slim({4, 6}, {0, 1}).whole(), 12), 0);
}

TEST(box, what_does_not_fit_is_refused) {
  EXPECT_TRUE(blocks(slim({3, 4}, {0, 0}), 8).empty());
  EXPECT_TRUE(blocks(slim({5, 5}, {0, 0}), 4).empty());
}

TEST(box, a_plane_cuts_off_so_many) {
  Slim grid = slim({3, 4}, {0, 0});
  EXPECT_EQ(choose_plane(grid, grid.whole(), 8), 0);
  EXPECT_EQ(choose_plane(grid, grid.whole(), 9), 1);
  EXPECT_EQ(choose_plane(grid, grid.whole(), 7), -1);
}
