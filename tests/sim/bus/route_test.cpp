#include "sim/bus/route.hpp"

#include <gtest/gtest.h>

#include <set>

namespace baton::bus {
namespace {

TEST(a_bus, is_one_link_for_all) {
  EXPECT_EQ(link_count(Topology::bus, 32), 1);
  EXPECT_EQ(route(Topology::bus, 32, 3, 9).links, std::vector<int>{0});
  EXPECT_EQ(route(Topology::bus, 32, 3, 9).hops, 0);
}

TEST(a_ring, goes_the_shorter_way) {
  EXPECT_EQ(route(Topology::ring, 8, 0, 3).hops, 3);
  EXPECT_EQ(route(Topology::ring, 8, 0, 5).hops, 3);
  EXPECT_EQ(route(Topology::ring, 8, 6, 1).hops, 3);
  EXPECT_EQ(route(Topology::ring, 8, 0, 4).hops, 4);
}

TEST(a_mesh, is_as_square_as_its_nodes_allow_and_goes_straight) {
  EXPECT_EQ(mesh_columns(32), 8);
  EXPECT_EQ(mesh_columns(16), 4);
  EXPECT_EQ(mesh_columns(7), 7);
  EXPECT_EQ(route(Topology::mesh, 16, 0, 15).hops, 6);
  EXPECT_EQ(route(Topology::mesh, 16, 15, 0).hops, 6);
  EXPECT_EQ(route(Topology::mesh, 16, 5, 6).hops, 1);
}

TEST(every_route, has_links_that_exist_each_once) {
  for (Topology topology : {Topology::bus, Topology::ring, Topology::mesh})
    for (int nodes : {2, 3, 7, 12, 16})
      for (int from = 0; from < nodes; ++from)
        for (int to = 0; to < nodes; ++to) {
          if (from == to) continue;
          Route way = route(topology, nodes, from, to);
          std::set<int> once(way.links.begin(), way.links.end());
          EXPECT_EQ(once.size(), way.links.size());
          EXPECT_GE(*once.begin(), 0);
          EXPECT_LT(*once.rbegin(), link_count(topology, nodes));
          int ends = topology == Topology::bus ? 1 : 2;
          EXPECT_EQ(static_cast<int>(way.links.size()), way.hops + ends);
        }
}

TEST(ways_there_and_back, share_no_link_but_on_a_bus) {
  for (Topology topology : {Topology::ring, Topology::mesh}) {
    std::set<int> there;
    for (int link : route(topology, 16, 2, 13).links) there.insert(link);
    for (int link : route(topology, 16, 13, 2).links) EXPECT_FALSE(there.contains(link));
  }
}

}  // namespace
}  // namespace baton::bus
