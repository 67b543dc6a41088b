// What is read from captured machines (make.py writes them): the counts that their makers publish.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "machine/discover.hpp"
#include "machine/placement.hpp"

using namespace baton::machine;

namespace {

struct Expected {
  const char* name;
  int cpus, cores, l2, l3, packages;
  std::vector<std::uint64_t> node_mib;  // by the kernel's numbers
  std::vector<int> home_nodes;          // those that CPUs call their own
};

constexpr std::uint64_t gib = 1024;

const Expected machines[] = {
    {"knl-flat", 272, 68, 34, 0, 1, {96 * gib, 16 * gib}, {0}},
    {"knl-cache", 272, 68, 34, 0, 1, {96 * gib}, {0}},
    {"knl-hybrid", 272, 68, 34, 0, 1, {96 * gib, 8 * gib}, {0}},
    {"knl-snc4",
     272,
     68,
     34,
     0,
     1,
     {24 * gib, 24 * gib, 24 * gib, 24 * gib, 4 * gib, 4 * gib, 4 * gib, 4 * gib},
     {0, 1, 2, 3}},
    {"xeon-max-flat", 224, 112, 112, 2, 2, {128 * gib, 128 * gib, 64 * gib, 64 * gib}, {0, 1}},
    {"xeon-max-snc4",
     224,
     112,
     112,
     8,
     2,
     {32 * gib, 32 * gib, 32 * gib, 32 * gib, 32 * gib, 32 * gib, 32 * gib, 32 * gib, 16 * gib,
      16 * gib, 16 * gib, 16 * gib, 16 * gib, 16 * gib, 16 * gib, 16 * gib},
     {0, 1, 2, 3, 4, 5, 6, 7}},
    {"two-sockets", 8, 8, 8, 2, 2, {16 * gib, 16 * gib}, {0, 1}},
    {"eight-sockets",
     80,
     80,
     80,
     8,
     8,
     {256 * gib, 256 * gib, 256 * gib, 256 * gib, 256 * gib, 256 * gib, 256 * gib, 256 * gib},
     {0, 1, 2, 3, 4, 5, 6, 7}},
    {"cxl", 48, 48, 48, 2, 2, {128 * gib, 128 * gib, 256 * gib}, {0, 1}},
    {"epyc-nps4",
     256,
     128,
     128,
     16,
     2,
     {64 * gib, 64 * gib, 64 * gib, 64 * gib, 64 * gib, 64 * gib, 64 * gib, 64 * gib},
     {0, 1, 2, 3, 4, 5, 6, 7}},
    {"eight-devices", 224, 112, 112, 2, 2, {1024 * gib, 1024 * gib}, {0, 1}},
    {"laptop", 16, 8, 8, 1, 1, {16 * gib}, {0}},
    {"virtual-machine", 2, 2, 2, 1, 1, {24 * gib}, {0}},
    {"guest", 4, 4, 4, 2, 2, {512, 512, 256, 256}, {0, 1}},
};

// What docs/placement.md says of layouts: of each rank in turn the object it lies in.
struct Layout {
  const char* machine;
  const char* cores;
  int ranks, width;
  Level level;
  std::vector<int> objects;
};

const Layout layouts[] = {
    {"xeon-max-flat", "all", 8, 14, Level::package, {0, 0, 0, 0, 1, 1, 1, 1}},
    {"xeon-max-snc4", "all", 8, 14, Level::numa, {0, 1, 2, 3, 4, 5, 6, 7}},
    {"xeon-max-snc4",
     "spread",
     16,
     1,
     Level::numa,
     {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}},
    {"epyc-nps4", "all", 16, 8, Level::l3, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
    {"epyc-nps4", "all", 8, 16, Level::numa, {0, 1, 2, 3, 4, 5, 6, 7}},
    {"epyc-nps4", "spread:4", 8, 1, Level::numa, {0, 0, 1, 1, 2, 2, 3, 3}},
    {"laptop", "all", 1, 8, Level::l3, {0}},
    {"laptop", "0-3", 4, 1, Level::core, {0, 1, 2, 3}},
};

class Captured : public testing::TestWithParam<Expected> {
 protected:
  Machine machine() const {
    auto read = read_captured_machine(std::string(MACHINES_FOLDER "/") + GetParam().name + ".xml");
    EXPECT_TRUE(read.has_value()) << (read ? "" : read.error());
    return read ? *read : Machine{};
  }
};

// How many different objects of a level there are; those that are not there do not count.
std::size_t distinct(const Machine& machine, Level level) {
  std::set<int> objects;
  for (const Cpu& cpu : machine.cpus) objects.insert(object_of(cpu, level));
  objects.erase(-1);
  return objects.size();
}

std::string named(const testing::TestParamInfo<Expected>& info) {
  std::string name = info.param.name;
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name;
}

}  // namespace

TEST_P(Captured, counts_are_those_of_the_real_machine) {
  Machine read = machine();
  const Expected& expected = GetParam();
  EXPECT_EQ(read.cpus_present, expected.cpus);
  EXPECT_EQ(read.cpus.size(), static_cast<std::size_t>(expected.cpus));
  EXPECT_EQ(core_count(read), expected.cores);
  EXPECT_EQ(distinct(read, Level::l2), static_cast<std::size_t>(expected.l2));
  EXPECT_EQ(distinct(read, Level::l3), static_cast<std::size_t>(expected.l3));
  EXPECT_EQ(distinct(read, Level::package), static_cast<std::size_t>(expected.packages));
  EXPECT_FALSE(read.model.empty());
}

TEST_P(Captured, every_memory_node_is_there_with_its_size) {
  Machine read = machine();
  const Expected& expected = GetParam();
  ASSERT_EQ(read.memory.size(), expected.node_mib.size());
  std::vector<std::uint64_t> mib(read.memory.size());
  for (const NumaNode& node : read.memory) mib.at(node.os) = node.bytes >> 20;
  EXPECT_EQ(mib, expected.node_mib);
}

TEST_P(Captured, a_cpu_is_at_home_in_dram_and_not_in_that_without_cpus) {
  Machine read = machine();
  std::set<int> homes;
  for (const Cpu& cpu : read.cpus) homes.insert(cpu.numa_node);
  EXPECT_EQ(homes, std::set<int>(GetParam().home_nodes.begin(), GetParam().home_nodes.end()));
}

TEST_P(Captured, a_rank_for_each_core_is_bound_to_it_with_all_its_threads) {
  Machine read = machine();
  auto plan = place(read, {});
  ASSERT_TRUE(plan.has_value()) << plan.error();
  ASSERT_EQ(plan->ranks.size(), static_cast<std::size_t>(GetParam().cores));
  for (const PlannedRank& rank : plan->ranks) {
    EXPECT_EQ(rank.cpus.size(), static_cast<std::size_t>(GetParam().cpus / GetParam().cores));
    EXPECT_GE(rank.common.core, 0);
  }
}

TEST(layouts, lie_where_the_documentation_says) {
  for (const Layout& layout : layouts) {
    auto read = read_captured_machine(std::string(MACHINES_FOLDER "/") + layout.machine + ".xml");
    ASSERT_TRUE(read.has_value());
    auto plan = place(*read, {.ranks = layout.ranks,
                              .width = layout.width,
                              .cores = read_core_choice(layout.cores).value()});
    ASSERT_TRUE(plan.has_value()) << plan.error();
    std::vector<int> objects;
    for (const PlannedRank& rank : plan->ranks)
      objects.push_back(object_of(rank.common, layout.level));
    EXPECT_EQ(objects, layout.objects) << layout.machine << ": " << plan->reason;
  }
}

INSTANTIATE_TEST_SUITE_P(machines, Captured, testing::ValuesIn(machines), named);
