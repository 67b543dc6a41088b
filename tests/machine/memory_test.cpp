// What is read of NUMA nodes from captured machines (tests/machines/). Tiers of machines made by
// hand are in memory_plan_test.cpp.
#include <gtest/gtest.h>

#include <string>

#include "machine/discover.hpp"

using namespace baton::machine;

namespace {

Machine captured(const char* name) {
  auto read = read_captured_machine(std::string(MACHINES_FOLDER "/") + name + ".xml");
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error());
  return read.value_or(Machine{});
}

}  // namespace

TEST(captured_memory, tiers_are_those_of_the_memory_that_is_built_in) {
  for (const char* name :
       {"knl-flat", "knl-hybrid", "knl-snc4", "xeon-max-flat", "xeon-max-snc4", "guest"}) {
    Machine machine = captured(name);
    for (const NumaNode& node : machine.memory)
      EXPECT_EQ(node.tier, node.has_cpus ? Tier::dram : Tier::hbm) << name << node.os;
  }
  Machine cxl = captured("cxl");
  for (const NumaNode& node : cxl.memory)
    EXPECT_EQ(node.tier, node.has_cpus ? Tier::dram : Tier::slow) << node.os;
  for (const char* name :
       {"knl-cache", "two-sockets", "eight-sockets", "epyc-nps4", "laptop", "virtual-machine"})
    for (const NumaNode& node : captured(name).memory)
      EXPECT_EQ(node.tier, Tier::dram) << name << node.os;
}

TEST(captured_memory, bandwidths_latencies_and_distances_are_read) {
  Machine machine = captured("guest");
  const MemoryPath* own = find_path(*find_node(machine, 2), 0);
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->local);
  EXPECT_GT(own->mib_per_second, find_path(*find_node(machine, 0), 0)->mib_per_second);
  EXPECT_GT(own->distance, 10);
  EXPECT_FALSE(find_path(*find_node(machine, 2), 1)->local);
  EXPECT_EQ(find_path(*find_node(machine, 0), 0)->distance, 10);
}
