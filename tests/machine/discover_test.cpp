#include "machine/discover.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <fstream>

using namespace baton::machine;

TEST(discover, this_machine_is_what_affinity_allows) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  auto machine = read_machine();
  ASSERT_TRUE(machine.has_value()) << machine.error();
  EXPECT_EQ(static_cast<int>(machine->cpus.size()), CPU_COUNT(&allowed));
  for (const Cpu& cpu : machine->cpus) {
    EXPECT_TRUE(CPU_ISSET(cpu.os, &allowed));
    EXPECT_GE(cpu.core, 0);
  }
  EXPECT_FALSE(machine->memory.empty());
}

TEST(discover, a_narrower_affinity_is_respected) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  auto all = read_machine();
  ASSERT_TRUE(all.has_value());
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(all->cpus.back().os, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  auto machine = read_machine();
  ::sched_setaffinity(0, sizeof allowed, &allowed);
  ASSERT_TRUE(machine.has_value());
  ASSERT_EQ(machine->cpus.size(), 1u);
  EXPECT_EQ(machine->cpus[0].os, all->cpus.back().os);
}

TEST(discover, a_file_that_is_no_topology_is_refused_by_name) {
  auto machine = read_captured_machine("/no/such/machine.xml");
  ASSERT_FALSE(machine.has_value());
  EXPECT_NE(machine.error().find("/no/such/machine.xml"), std::string::npos);
}
