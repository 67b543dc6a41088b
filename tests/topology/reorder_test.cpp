#include "topology/reorder.hpp"

#include <cstdio>
#include <random>
#include <string>

#include "tests/topology/machines.hpp"

using namespace baton;
using namespace baton::topology;
using namespace baton::test;

namespace {

PlaceTree tree_on(const char* description, machine::PlacementPolicy policy) {
  auto places = places_on(description, policy);
  PlaceTree tree;
  EXPECT_TRUE(tree.build(places.data(), static_cast<int>(places.size())));
  return tree;
}

struct Stencil {
  std::vector<int> extents, periods;
  Grid grid() {
    return {static_cast<int>(extents.size()), extents.data(), periods.data(), nullptr};
  }
};

// Every rank once, and the numbers it tells are true and not worse.
void expect_sound(const Mapping& mapping, const Pattern& pattern, const PlaceTree& tree) {
  int count = tree.count();
  std::vector<std::int32_t> now(count), then(count, -1);
  for (int process = 0; process < count; ++process) {
    now[process] = tree.slot_of(process);
    int rank = mapping(process);
    ASSERT_TRUE(rank >= 0 && rank < count && then[rank] < 0) << process;
    then[rank] = tree.slot_of(process);
  }
  std::int64_t before = hop_weight(pattern, tree, now.data());
  std::int64_t after = hop_weight(pattern, tree, then.data());
  if (mapping.rank_of) {
    EXPECT_EQ(mapping.before, before);
    EXPECT_EQ(mapping.after, after);
    EXPECT_LT(after, before);
  }
  EXPECT_LE(after, before);
}

void print(const char* what, const Mapping& mapping) {
  std::printf("%-46s hop weight %6lld -> %6lld  (%s)\n", what,
              static_cast<long long>(mapping.before), static_cast<long long>(mapping.after),
              mapping.reason);
}

Mapping mapped(const char* what, Stencil stencil, const PlaceTree& tree) {
  Pattern pattern;
  EXPECT_TRUE(pattern.build(stencil.grid()));
  Mapping mapping = map_grid(stencil.grid(), tree);
  expect_sound(mapping, pattern, tree);
  print(what, mapping);
  return mapping;
}

Mapping mapped(const char* what, int ranks, const std::vector<Edge>& edges, const PlaceTree& tree) {
  Pattern pattern;
  EXPECT_TRUE(pattern.build(ranks, edges.data(), static_cast<std::int64_t>(edges.size())));
  Mapping mapping = map_graph(pattern, tree);
  expect_sound(mapping, pattern, tree);
  print(what, mapping);
  return mapping;
}

// Points in a square that talk to those near them, numbered as they were drawn.
std::vector<Edge> irregular(int ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> x(ranks), y(ranks);
  for (int i = 0; i < ranks; ++i) {
    x[i] = random() / 4294967296.0;
    y[i] = random() / 4294967296.0;
  }
  std::vector<Edge> edges;
  for (int i = 0; i < ranks; ++i)
    for (int k = 0; k < i; ++k) {
      double distance = (x[i] - x[k]) * (x[i] - x[k]) + (y[i] - y[k]) * (y[i] - y[k]);
      if (distance * ranks < 2.5) edges.push_back({i, k, 1 + static_cast<int>(random() % 8)});
    }
  return edges;
}

}  // namespace

TEST(reorder, a_stencil_comes_nearer_on_two_sockets) {
  PlaceTree tree = tree_on(two_sockets_many_l3, {.ranks = 128});
  Mapping mapping =
      mapped("8x8x2 on 2 sockets x 4 nodes x 4 L3 x 4 cores", {{8, 8, 2}, {0, 0, 0}}, tree);
  // 288 pairs, of which at least 16 cross the sockets, 64 NUMA nodes and 160 L3 caches.
  EXPECT_EQ(mapping.before, 576);
  EXPECT_EQ(mapping.after, 288 + 16 + 64 + 160);
  for (const Stencil& stencil : {Stencil{{16, 8}, {0, 0}}, Stencil{{16, 8}, {1, 1}},
                                 Stencil{{8, 4, 4}, {0, 0, 0}}, Stencil{{2, 64}, {0, 0}}}) {
    Mapping other = mapped("other grids of 128", stencil, tree);
    EXPECT_LT(other.after, other.before);
  }
}

TEST(reorder, ranks_dealt_over_sockets_come_together) {
  PlaceTree tree = tree_on(two_sockets_few_l3, {.ranks = 96, .map_by = machine::Level::package});
  Mapping mapping = mapped("12x8 dealt by package", {{12, 8}, {0, 0}}, tree);
  EXPECT_LE(mapping.after * 10, mapping.before * 6);
}

TEST(reorder, what_blocks_do_not_fill_is_divided_all_the_same) {
  PlaceTree tree = tree_on(two_sockets_many_l3, {.ranks = 119, .map_by = machine::Level::l3});
  Mapping mapping = mapped("17x7 dealt by L3", {{17, 7}, {0, 1}}, tree);
  EXPECT_LT(mapping.after, mapping.before);
  PlaceTree half = tree_on(two_sockets_few_l3, {.ranks = 60});
  mapped("10x6 on 48 + 12 cores", {{10, 6}, {0, 0}}, half);
}

TEST(reorder, a_grid_is_never_worse_off_than_a_graph) {
  PlaceTree tree = tree_on(two_sockets_many_l3, {.ranks = 92, .map_by = machine::Level::numa});
  Stencil stencil{{23, 2, 2}, {1, 1, 1}};
  Pattern pattern;
  ASSERT_TRUE(pattern.build(stencil.grid()));
  EXPECT_LE(mapped("23x2x2 periodic", stencil, tree).after, map_graph(pattern, tree).after);
}

TEST(reorder, an_irregular_graph_comes_nearer_on_two_sockets) {
  PlaceTree tree = tree_on(two_sockets_many_l3, {.ranks = 128});
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Mapping mapping = mapped("irregular graph", 128, irregular(128, seed), tree);
    EXPECT_LE(mapping.after * 4, mapping.before * 3);
  }
}

TEST(reorder, random_graphs_and_grids_never_get_worse) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    int ranks = 2 + static_cast<int>(random() % 100);
    machine::Level level = round % 2 ? machine::Level::core : machine::Level::numa;
    PlaceTree tree = tree_on(round % 3 ? two_sockets_many_l3 : two_sockets_few_l3,
                             {.ranks = ranks, .map_by = level});
    std::vector<Edge> edges;
    for (int i = 0; i < 3 * ranks; ++i)
      edges.push_back({static_cast<int>(random() % ranks), static_cast<int>(random() % ranks),
                       static_cast<int>(random() % 100)});
    Pattern pattern;
    ASSERT_TRUE(pattern.build(ranks, edges.data(), static_cast<std::int64_t>(edges.size())));
    expect_sound(map_graph(pattern, tree), pattern, tree);
    std::vector<int> extents(1 + random() % 3, 0), periods(3, static_cast<int>(random() % 2));
    ASSERT_TRUE(fill_dimensions(ranks, static_cast<int>(extents.size()), extents.data()));
    Grid grid{static_cast<int>(extents.size()), extents.data(), periods.data(), nullptr};
    Pattern of_grid;
    ASSERT_TRUE(of_grid.build(grid));
    expect_sound(map_grid(grid, tree), of_grid, tree);
  }
}

TEST(reorder, the_same_input_gives_the_same_ranks) {
  PlaceTree tree = tree_on(two_sockets_many_l3, {.ranks = 128, .map_by = machine::Level::numa});
  std::vector<Edge> edges = irregular(128, 9);
  Mapping one = mapped("irregular graph dealt by node", 128, edges, tree);
  Mapping other = mapped("irregular graph dealt by node", 128, edges, tree);
  for (int process = 0; process < 128; ++process) EXPECT_EQ(one(process), other(process));
}

TEST(reorder, l3_caches_count_where_there_is_one_numa_node) {
  PlaceTree tree = tree_on(one_node_many_l3, {.ranks = 64});
  Mapping mapping = mapped("8x8 on 1 node x 8 L3 x 8 cores", {{8, 8}, {0, 0}}, tree);
  EXPECT_LT(mapping.after, mapping.before);
}

TEST(reorder, ranks_that_nothing_divides_keep_their_numbers) {
  for (const PlaceTree& tree :
       {tree_on(four_cores, {.ranks = 4}), tree_on(four_cores, {.ranks = 9}),
        tree_on(two_sockets_many_l3, {.ranks = 16, .bind_to = machine::Level::machine})}) {
    Mapping mapping = mapped("nothing divides", {{tree.count()}, {0}}, tree);
    EXPECT_FALSE(mapping.rank_of);
    EXPECT_NE(std::string(mapping.reason).find("not bound"), std::string::npos);
  }
}

TEST(reorder, numbers_that_are_good_already_are_kept) {
  PlaceTree tree = tree_on(two_sockets_many_l3, {.ranks = 128});
  Mapping mapping = mapped("a line", {{128}, {0}}, tree);
  EXPECT_FALSE(mapping.rank_of);
  EXPECT_NE(std::string(mapping.reason).find("as near"), std::string::npos);
}
