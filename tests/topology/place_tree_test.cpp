#include "topology/place_tree.hpp"

#include "tests/topology/machines.hpp"

using namespace baton;
using namespace baton::topology;
using namespace baton::test;

namespace {

PlaceTree tree_of(const std::vector<lockfree::RankPlace>& places) {
  PlaceTree tree;
  EXPECT_TRUE(tree.build(places.data(), static_cast<int>(places.size())));
  return tree;
}

int hops(const PlaceTree& tree, int process, int other) {
  return tree.hops(tree.slot_of(process), tree.slot_of(other));
}

}  // namespace

TEST(place_tree, levels_are_those_that_divide_the_ranks) {
  PlaceTree tree = tree_of(places_on(two_sockets_many_l3, {.ranks = 128}));
  ASSERT_EQ(tree.levels(),
            3);  // package, NUMA node, L3; a rank a core, so L2 and core say nothing
  EXPECT_EQ(hops(tree, 0, 0), 0);
  EXPECT_EQ(hops(tree, 0, 3), 1);
  EXPECT_EQ(hops(tree, 0, 4), 2);
  EXPECT_EQ(hops(tree, 0, 16), 3);
  EXPECT_EQ(hops(tree, 0, 64), 4);
  EXPECT_EQ(hops(tree, 64, 0), 4);
}

TEST(place_tree, ranks_on_other_nodes_are_farthest) {
  auto places = places_on(two_sockets_many_l3, {.ranks = 128});
  for (std::size_t rank = 32; rank < places.size(); ++rank) places[rank].node = 1;
  PlaceTree tree = tree_of(places);
  ASSERT_EQ(tree.levels(), 4);
  EXPECT_EQ(hops(tree, 0, 16), 3);
  EXPECT_EQ(hops(tree, 0, 32), 5);
  EXPECT_EQ(hops(tree, 32, 48), 3);
}

TEST(place_tree, threads_of_a_core_are_nearest) {
  PlaceTree tree = tree_of(places_on(two_sockets_many_l3, {.ranks = 256}));
  ASSERT_EQ(tree.levels(), 4);
  // Ranks are dealt core by core: the second round gets the second threads.
  EXPECT_EQ(hops(tree, 0, 128), 1);
  EXPECT_EQ(hops(tree, 0, 1), 2);
}

TEST(place_tree, slots_of_every_object_are_neighbors_however_ranks_are_dealt) {
  for (machine::Level level : {machine::Level::core, machine::Level::l3, machine::Level::package}) {
    PlaceTree tree = tree_of(places_on(two_sockets_many_l3, {.ranks = 100, .map_by = level}));
    ASSERT_GT(tree.levels(), 0);
    for (int depth = 0; depth < tree.levels(); ++depth)
      for (int slot = 1; slot < tree.count(); ++slot) {
        EXPECT_GE(tree.object(depth, slot), tree.object(depth, slot - 1));
        if (depth > 0 && tree.object(depth, slot) == tree.object(depth, slot - 1)) {
          EXPECT_EQ(tree.object(depth - 1, slot), tree.object(depth - 1, slot - 1));
        }
      }
    for (int process = 0; process < tree.count(); ++process)
      EXPECT_EQ(tree.process_in(tree.slot_of(process)), process);
  }
}

TEST(place_tree, ranks_that_are_not_bound_have_no_levels) {
  EXPECT_EQ(tree_of(places_on(two_sockets_many_l3, {.ranks = 300})).levels(), 0);
  EXPECT_EQ(tree_of(std::vector<lockfree::RankPlace>(5)).levels(), 0);
  EXPECT_EQ(tree_of(std::vector<lockfree::RankPlace>(1)).levels(), 0);
}

TEST(place_tree, one_numa_node_with_one_cache_has_no_levels) {
  EXPECT_EQ(tree_of(places_on(four_cores, {.ranks = 4})).levels(), 0);
}

TEST(place_tree, a_cache_that_memory_nodes_share_is_the_larger_object) {
  std::vector<lockfree::RankPlace> places;
  for (int i = 0; i < 16; ++i) places.push_back({i, 1, i / 4, i / 8, i, i / 8, i});
  PlaceTree tree = tree_of(places);
  ASSERT_EQ(tree.levels(), 2);
  EXPECT_EQ(hops(tree, 0, 3), 1);
  EXPECT_EQ(hops(tree, 0, 4), 2);
  EXPECT_EQ(hops(tree, 0, 8), 3);
}

TEST(place_tree, ranks_bound_to_whole_nodes_are_divided_by_node) {
  PlaceTree tree = tree_of(
      places_on(two_sockets_few_l3,
                {.ranks = 8, .map_by = machine::Level::numa, .bind_to = machine::Level::numa}));
  ASSERT_EQ(tree.levels(), 2);
  EXPECT_EQ(hops(tree, 0, 4), 1);
  EXPECT_EQ(hops(tree, 0, 1), 2);
  EXPECT_EQ(hops(tree, 0, 2), 3);
}
