// How the machine divides ranks, on captured machines, and how many lines cross its borders then.
#include "collective/divide.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/topology/machines.hpp"

namespace baton::collective {
namespace {

using lockfree::RankPlace;
using Places = std::vector<RankPlace>;
using Member = std::int32_t RankPlace::*;

Places places_on(const std::string& name, const machine::PlacementPolicy& policy = {}) {
  return test::places_on(machine::read_captured_machine(MACHINES_FOLDER "/" + name + ".xml"),
                         policy);
}

Division divide(const Places& places) {
  return collective::divide(static_cast<int>(places.size()),
                            [&places](int rank) { return places[static_cast<std::size_t>(rank)]; });
}

const char* name_of(Member member) {
  return member == nullptr                 ? "nothing"
         : member == &RankPlace::package   ? "package"
         : member == &RankPlace::numa_node ? "numa_node"
         : member == &RankPlace::l3        ? "l3"
         : member == &RankPlace::l2        ? "l2"
                                           : "core";
}

struct Expected {
  const char* machine;
  int ranks;  // 0: one for each core
  machine::Level map_by;
  const char* by;
  int groups, largest;
  Grouping grouping;
};

TEST(division, of_a_job_on_several_nodes_is_by_node_however_many_lines_that_makes) {
  Places places = places_on("epyc-nps4", {.ranks = 128});
  const Division alone = divide(places);
  ASSERT_NE(alone.by, nullptr);
  for (std::size_t rank = 100; rank < places.size(); ++rank) places[rank].node = 1;
  const Division division = divide(places);
  EXPECT_EQ(division.by, &RankPlace::node);
  EXPECT_EQ(division.groups, 2);
  EXPECT_EQ(division.largest, 100);
  EXPECT_EQ(division.grouping, Grouping::in_order);
}

TEST(division, within_a_later_node_of_a_job_is_that_of_the_first) {
  Places places = places_on("epyc-nps4", {.ranks = 128});
  const Division first = divide(places);
  for (RankPlace& place : places) {
    place.node = 3;
    for (std::int32_t* number :
         {&place.numa_node, &place.package, &place.l2, &place.l3, &place.core})
      *number += 3 * baton::lockfree::numbers_of_node;
  }
  const Division division = divide(places);
  ASSERT_NE(division.by, nullptr);
  EXPECT_EQ(division.by, first.by);
  EXPECT_EQ(division.groups, first.groups);
  EXPECT_EQ(division.largest, first.largest);
}

TEST(division, is_the_one_with_the_fewest_lines) {
  using machine::Level;
  using enum Grouping;
  const Expected expected[] = {
      // 64 + 2 lines by package; 16 + 8 by NUMA node, as few as by L3, which has more groups.
      {"epyc-nps4", 0, Level::core, "numa_node", 8, 16, in_order},
      {"epyc-nps4", 0, Level::l3, "numa_node", 8, 16, mixed},
      {"epyc-nps4", 0, Level::package, "numa_node", 8, 16, mixed},
      {"epyc-nps4", 64, Level::core, "l3", 8, 8, in_order},  // 4 + 16 by NUMA node
      {"epyc-nps4", 32, Level::core, "l3", 4, 8, in_order},  // 2 + 16 by NUMA node
      {"epyc-nps4", 12, Level::core, "l3", 2, 8, in_order},
      {"epyc-nps4", 8, Level::core, "nothing", 1, 0, none},     // one L3
      {"epyc-nps4", 16, Level::l3, "package", 2, 8, in_order},  // a rank an L3; by node 8 + 2, too
      {"xeon-max-flat", 0, Level::core, "package", 2, 56, in_order},
      {"xeon-max-snc4", 0, Level::core, "numa_node", 8, 14, in_order},
      {"eight-sockets", 0, Level::core, "package", 8, 10, in_order},
      {"eight-sockets", 0, Level::package, "package", 8, 10, mixed},
      {"eight-sockets", 8, Level::package, "nothing", 1, 0, none},
      {"two-sockets", 0, Level::core, "package", 2, 4, in_order},
      {"knl-flat", 0, Level::core, "l2", 34, 2, in_order},
      {"laptop", 0, Level::core, "nothing", 1, 0, none},
      {"laptop", 16, Level::core, "l2", 8, 2, mixed},  // threads are dealt in a second round
      {"virtual-machine", 0, Level::core, "nothing", 1, 0, none},
  };
  for (const Expected& one : expected) {
    const Division division =
        divide(places_on(one.machine, {.ranks = one.ranks, .map_by = one.map_by}));
    SCOPED_TRACE(std::string(one.machine) + " " + std::to_string(one.ranks));
    EXPECT_STREQ(name_of(division.by), one.by);
    EXPECT_EQ(division.groups, one.groups);
    EXPECT_EQ(division.largest, one.largest);
    EXPECT_EQ(division.grouping, one.grouping);
  }
}

TEST(division, needs_objects_that_are_known_of_every_rank) {
  // cpu, cpu_count, numa_node, package, l2, l3, core
  Places places{{0, 8, 0, -1, -1, 0, -1}, {8, 8, 0, -1, -1, 1, -1}, {16, 8, 1, -1, -1, 1, -1}};
  EXPECT_STREQ(name_of(divide(places).by), "numa_node");
  places[0].numa_node = -1;
  EXPECT_STREQ(name_of(divide(places).by), "l3");
  places[1].l3 = object_numbers;
  EXPECT_EQ(divide(places).grouping, Grouping::none);
  EXPECT_EQ(divide(Places(5)).grouping, Grouping::none);
  EXPECT_EQ(divide(Places(1)).grouping, Grouping::none);
}

TEST(division, is_in_order_where_groups_are_ranges_of_ranks) {
  auto grouping = [](std::initializer_list<int> packages) {
    Places places;
    for (int package : packages) places.push_back({0, 1, -1, package, -1, -1, -1});
    return divide(places).grouping;
  };
  EXPECT_EQ(grouping({1, 1, 0, 0}), Grouping::in_order);
  EXPECT_EQ(grouping({1, 0, 0, 2}), Grouping::in_order);
  EXPECT_EQ(grouping({1, 0, 1, 0}), Grouping::mixed);
  EXPECT_EQ(grouping({0, 1, 1, 0}), Grouping::mixed);
  EXPECT_EQ(grouping({0, 1, 2}), Grouping::none);
}

// Of an allreduce of 8 bytes: pairs of a rank and another's line that it reads, in all, and with a
// border between the two.
struct Lines {
  int all = 0, between_nodes = 0, between_packages = 0;

  void read(const RankPlace& reader, const RankPlace& writer) {
    ++all;
    between_nodes += reader.numa_node != writer.numa_node;
    between_packages += reader.package != writer.package;
  }
};

// allreduce_in_room.
Lines read_by_all(const Places& places) {
  Lines lines;
  for (const RankPlace& reader : places)
    for (const RankPlace& writer : places)
      if (&reader != &writer) lines.read(reader, writer);
  return lines;
}
// allreduce_hierarchical_in_room.
Lines read_hierarchically(const Places& places) {
  const Member by = divide(places).by;
  Lines lines;
  auto leads = [&](const RankPlace& one) {
    for (const RankPlace* before = places.data(); before < &one; ++before)
      if (before->*by == one.*by) return false;
    return true;
  };
  for (const RankPlace& reader : places)
    for (const RankPlace& writer : places) {
      if (&reader == &writer) continue;
      if (leads(reader) && reader.*by == writer.*by) lines.read(reader, writer);
      if (leads(writer)) lines.read(reader, writer);
    }
  return lines;
}

TEST(lines, that_cross_a_border_are_fewer_hierarchically) {
  const struct {
    const char* machine;
    Lines by_all, hierarchical;
  } expected[] = {
      // 128 ranks in 8 nodes of 16 and 2 packages; 120 to the leaders, then 7 or 8 to each rank.
      {"epyc-nps4", {128 * 127, 128 * 112, 128 * 64}, {8 * 15 + 128 * 8 - 8, 128 * 7, 128 * 4}},
      // 112 ranks in 2 packages, each a node.
      {"xeon-max-flat", {112 * 111, 112 * 56, 112 * 56}, {2 * 55 + 112 * 2 - 2, 112 * 1, 112 * 1}},
  };
  for (const auto& one : expected) {
    SCOPED_TRACE(one.machine);
    const Places places = places_on(one.machine);
    const Lines by_all = read_by_all(places), hierarchical = read_hierarchically(places);
    EXPECT_EQ(by_all.all, one.by_all.all);
    EXPECT_EQ(by_all.between_nodes, one.by_all.between_nodes);
    EXPECT_EQ(by_all.between_packages, one.by_all.between_packages);
    EXPECT_EQ(hierarchical.all, one.hierarchical.all);
    EXPECT_EQ(hierarchical.between_nodes, one.hierarchical.between_nodes);
    EXPECT_EQ(hierarchical.between_packages, one.hierarchical.between_packages);
  }
}

}  // namespace
}  // namespace baton::collective
