#include "topology/grid.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

using namespace baton::topology;

namespace {

struct TestGrid {
  std::vector<int> extents, periods, coordinates;

  TestGrid(std::vector<int> e, std::vector<int> p)
      : extents(e), periods(p), coordinates(e.size()) {}
  Grid at(int rank) {
    find_coordinates(static_cast<int>(extents.size()), extents.data(), rank, coordinates.data());
    return {static_cast<int>(extents.size()), extents.data(), periods.data(), coordinates.data()};
  }
};

std::vector<int> filled(int size, std::vector<int> dimensions) {
  int free = static_cast<int>(std::count(dimensions.begin(), dimensions.end(), 0));
  EXPECT_TRUE(fill_dimensions(size, free, dimensions.data())) << size;
  return dimensions;
}

// The best way for each product up to a limit, by trying all numbers in falling order: the least
// difference between the first and the last, then the smallest first, then the smallest next.
std::vector<std::vector<int>> best_by_trying(int limit, int count) {
  std::vector<std::vector<int>> best(static_cast<std::size_t>(limit) + 1);
  std::vector<int> now;
  auto spread = [](const std::vector<int>& numbers) { return numbers.front() - numbers.back(); };
  std::function<void(int, int)> go = [&](int product, int most) {
    if (static_cast<int>(now.size()) == count) {
      auto& known = best[static_cast<std::size_t>(product)];
      if (known.empty() || spread(now) < spread(known) ||
          (spread(now) == spread(known) && now < known))
        known = now;
      return;
    }
    for (int factor = 1; factor <= std::min(most, limit / product); ++factor) {
      now.push_back(factor);
      go(product * factor, factor);
      now.pop_back();
    }
  };
  go(1, limit);
  return best;
}

}  // namespace

TEST(grid, ranks_and_coordinates_are_each_others_inverse) {
  TestGrid grid({3, 1, 4, 2}, {0, 0, 0, 0});
  EXPECT_EQ(position_count(4, grid.extents.data()), 24);
  for (int rank = 0; rank < 24; ++rank) {
    Grid here = grid.at(rank);
    EXPECT_EQ(rank_at(here, here.coordinates), rank);
    EXPECT_EQ(find_outside(here, here.coordinates), -1);
  }
  EXPECT_EQ(grid.at(7).coordinates[2], 3);
  EXPECT_EQ(grid.at(7).coordinates[3], 1);
}

TEST(grid, periodic_coordinates_wrap_and_others_are_found_out) {
  TestGrid grid({3, 4}, {1, 0});
  Grid here = grid.at(0);
  int far[] = {-7, 2};
  EXPECT_EQ(rank_at(here, far), 2 * 4 + 2);
  int lowest[] = {std::numeric_limits<int>::min(), 0};
  EXPECT_EQ(rank_at(here, lowest), ((-2147483648LL % 3 + 3) % 3) * 4);
  for (int wrong : {-1, 4, 2147483647}) {
    int outside[] = {5, wrong};
    EXPECT_EQ(find_outside(here, outside), 1);
  }
}

TEST(grid, steps_end_at_the_edge_or_go_round) {
  TestGrid grid({3, 4}, {1, 0});
  Grid corner = grid.at(0);
  EXPECT_EQ(neighbor_along(corner, 0, -1), 8);
  EXPECT_EQ(neighbor_along(corner, 0, 4), 4);
  EXPECT_EQ(neighbor_along(corner, 0, 3), 0);
  EXPECT_EQ(neighbor_along(corner, 1, -1), MPI_PROC_NULL);
  EXPECT_EQ(neighbor_along(corner, 1, 3), 3);
  EXPECT_EQ(neighbor_along(corner, 1, 4), MPI_PROC_NULL);
  EXPECT_EQ(neighbor_along(corner, 1, -(std::int64_t{-2147483647} - 1)), MPI_PROC_NULL);
  EXPECT_EQ(neighbor_along(corner, 0, std::int64_t{-2147483647} - 1), 4);
}

TEST(grid, no_dimensions_are_one_position) {
  TestGrid grid({}, {});
  Grid point = grid.at(0);
  EXPECT_EQ(position_count(0, nullptr), 1);
  EXPECT_EQ(rank_at(point, nullptr), 0);
}

TEST(grid, more_positions_than_an_int_holds_are_more_than_any_job) {
  int wide[] = {65536, 65536, 65536, 65536, 65536};
  for (int dimensions = 2; dimensions <= 5; ++dimensions)
    EXPECT_GT(position_count(dimensions, wide), 2147483647);
}

TEST(grid, dimensions_are_as_near_to_each_other_as_can_be) {
  EXPECT_EQ(filled(48, {0, 0}), (std::vector{8, 6}));
  EXPECT_EQ(filled(7488, {0, 0, 0}), (std::vector{26, 18, 16}));
  EXPECT_EQ(filled(6, {0, 3, 0}).size(), 3u);
  for (int count = 1; count <= 4; ++count) {
    auto best = best_by_trying(10000, count);
    for (int size = 1; size <= 10000; ++size)
      ASSERT_EQ(filled(size, std::vector<int>(static_cast<std::size_t>(count))),
                best[static_cast<std::size_t>(size)])
          << size << " in " << count;
  }
}

TEST(grid, dimensions_of_numbers_with_many_divisors_are_found) {
  for (int size : {735134400, 1102701600, 1 << 30, 2147483647, 2147483646, 1162261467})
    for (int count : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 31, 40}) {
      std::vector<int> found = filled(size, std::vector<int>(static_cast<std::size_t>(count)));
      EXPECT_EQ(std::accumulate(found.begin(), found.end(), std::int64_t{1}, std::multiplies<>()),
                size);
      EXPECT_TRUE(std::is_sorted(found.rbegin(), found.rend()));
    }
}

TEST(grid, given_dimensions_stay_where_they_are) {
  EXPECT_EQ(filled(12, {0, 5, 0, 7}), (std::vector{4, 5, 3, 7}));
  EXPECT_EQ(filled(1, {2, 0, 3}), (std::vector{2, 1, 3}));
}

TEST(grid, large_numbers_take_no_longer_than_small_ones) {
  EXPECT_EQ(filled(2147483647, {0, 0}), (std::vector{2147483647, 1}));
  EXPECT_EQ(filled(46341 * 46337, {0, 0}), (std::vector{46341, 46337}));
  std::vector<int> many = filled(2095133040, std::vector<int>(30));  // 1600 divisors
  EXPECT_TRUE(std::is_sorted(many.rbegin(), many.rend()));
  EXPECT_EQ(std::accumulate(many.begin(), many.end(), 1LL, std::multiplies<>()), 2095133040);
  EXPECT_EQ(filled(1073741824, std::vector<int>(30)), std::vector<int>(30, 2));
}
