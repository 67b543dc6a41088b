#include "topology/bisect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using namespace baton::topology;

namespace {

std::int64_t weight_between(const std::vector<Edge>& edges, const std::vector<int>& part) {
  std::int64_t sum = 0;
  for (const Edge& edge : edges)
    if (part[edge.from] != part[edge.to]) sum += edge.weight;
  return sum;
}

// The parts of all ranks, checked: sizes, and each rank once, in order.
std::vector<int> divided(int ranks, const std::vector<Edge>& edges, int first_count) {
  Pattern pattern;
  Bisection bisection;
  EXPECT_TRUE(pattern.build(ranks, edges.data(), static_cast<std::int64_t>(edges.size())));
  EXPECT_TRUE(bisection.prepare(pattern));
  std::vector<std::int32_t> order(ranks);
  std::iota(order.begin(), order.end(), 0);
  bisection.divide(order.data(), ranks, first_count);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.begin() + first_count));
  EXPECT_TRUE(std::is_sorted(order.begin() + first_count, order.end()));
  std::vector<int> part(ranks, -1);
  for (int i = 0; i < ranks; ++i) part[order[i]] = i >= first_count;
  EXPECT_EQ(std::count(part.begin(), part.end(), -1), 0);
  return part;
}

std::int64_t least_by_trying(int ranks, const std::vector<Edge>& edges, int first_count) {
  std::vector<int> part(ranks, 1);
  std::fill(part.begin(), part.begin() + first_count, 0);
  std::int64_t least = weight_between(edges, part);
  while (std::next_permutation(part.begin(), part.end()))
    least = std::min(least, weight_between(edges, part));
  return least;
}

}  // namespace

TEST(bisect, two_crowds_with_one_tie_are_told_apart_however_they_are_numbered) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> name(12);
    std::iota(name.begin(), name.end(), 0);
    std::shuffle(name.begin(), name.end(), random);
    std::vector<Edge> edges{{name[0], name[11], 1}};
    for (int i = 0; i < 12; ++i)
      for (int k = 0; k < i; ++k)
        if (i / 6 == k / 6) edges.push_back({name[i], name[k], 1});
    std::vector<int> part = divided(12, edges, 6);
    EXPECT_EQ(weight_between(edges, part), 1);
  }
}

TEST(bisect, a_ring_is_cut_twice) {
  std::vector<Edge> edges;
  for (int i = 0; i < 30; ++i) edges.push_back({i * 7 % 30, (i + 1) * 7 % 30, 3});
  EXPECT_EQ(weight_between(edges, divided(30, edges, 11)), 6);
}

TEST(bisect, no_worse_than_as_numbered_and_near_the_best_for_small_graphs) {
  std::mt19937 random(11);
  std::int64_t found = 0, best = 0;
  for (int round = 0; round < 60; ++round) {
    int ranks = 6 + round % 5, first_count = 1 + round % (ranks - 1);
    std::vector<Edge> edges;
    for (int i = 0; i < 2 * ranks; ++i)
      edges.push_back({static_cast<int>(random() % ranks), static_cast<int>(random() % ranks),
                       static_cast<int>(random() % 10)});
    std::vector<int> numbered(ranks, 1);
    std::fill(numbered.begin(), numbered.begin() + first_count, 0);
    std::int64_t cut = weight_between(edges, divided(ranks, edges, first_count));
    EXPECT_LE(cut, weight_between(edges, numbered));
    found += cut;
    best += least_by_trying(ranks, edges, first_count);
  }
  EXPECT_LE(found, best * 105 / 100);
}

TEST(bisect, ranks_without_neighbors_and_single_ranks_are_no_trouble) {
  divided(5, {}, 2);
  divided(2, {{0, 0, 5}}, 1);
  divided(4, {{0, 1, 2147483647}, {0, 1, 2147483647}, {2, 3, 0}}, 3);
}

TEST(bisect, a_part_is_divided_without_regard_to_the_rest) {
  std::vector<Edge> edges{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 9}, {4, 0, 9}};
  Pattern pattern;
  Bisection bisection;
  ASSERT_TRUE(pattern.build(5, edges.data(), 5) && bisection.prepare(pattern));
  for (int again = 0; again < 2; ++again) {
    std::int32_t part[] = {0, 1, 2, 3};
    bisection.divide(part, 4, 2);
    EXPECT_EQ((std::vector<int>(part, part + 4)), (std::vector{0, 1, 2, 3}));
  }
}
