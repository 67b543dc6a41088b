// Ranks near the devices of a captured machine: eight, four near each package.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "machine/devices.hpp"
#include "machine/discover.hpp"
#include "machine/draw.hpp"
#include "machine/placement.hpp"

using namespace baton::machine;

namespace {

Machine captured() {
  auto machine = read_captured_machine(MACHINES_FOLDER "/eight-devices.xml");
  EXPECT_TRUE(machine.has_value()) << (machine ? "" : machine.error());
  return machine.value_or(Machine{});
}

Placement placed(const Machine& machine, const PlacementPolicy& policy) {
  auto placement = place(machine, policy);
  EXPECT_TRUE(placement.has_value()) << (placement ? "" : placement.error());
  return placement.value_or(Placement{});
}

}  // namespace

TEST(captured_devices, are_read_with_what_is_near_them) {
  const Machine machine = captured();
  ASSERT_EQ(machine.devices.size(), 8u);
  EXPECT_EQ(machine.devices[0].bus, "0000:1b:00.0");
  EXPECT_EQ(machine.devices[7].bus, "0000:df:00.0");
  EXPECT_EQ(machine.devices[3].numa_node, 0);
  EXPECT_EQ(machine.devices[4].numa_node, 1);
  EXPECT_EQ(cpu_list(machine.devices[4].near), "56-111,168-223");
}

TEST(captured_devices, a_rank_for_each_lies_near_its_own) {
  const Machine machine = captured();
  const Placement plan = placed(machine, {.ranks = 8, .width = 14, .by_device = true});
  for (int rank = 0; rank < 8; ++rank) {
    const PlannedRank& planned = plan.ranks[static_cast<std::size_t>(rank)];
    EXPECT_EQ(planned.device, rank);
    EXPECT_EQ(planned.cpus.size(), 28u) << "14 cores of two threads";
    for (int cpu : planned.cpus)
      EXPECT_TRUE(is_near(machine.devices[static_cast<std::size_t>(rank)], cpu)) << rank;
  }
}

TEST(captured_devices, ranks_on_all_cores_are_dealt_out_evenly) {
  const Machine machine = captured();
  const Placement plan = placed(machine, {});
  std::vector<int> ranks(8, 0);
  for (const PlannedRank& planned : plan.ranks) {
    ++ranks[static_cast<std::size_t>(planned.device)];
    EXPECT_EQ(planned.device / 4, planned.common.package);
  }
  EXPECT_EQ(ranks, std::vector<int>(8, 14));
}

TEST(captured_devices, the_drawing_says_which_ranks_use_them) {
  Machine machine = captured();
  machine.devices = visible_devices(machine.devices, "4,5");
  const std::string drawn =
      draw_placement(machine, placed(machine, {.ranks = 3, .by_device = true}));
  EXPECT_NE(drawn.find("device 0 (GH100 [H100 SXM5 80GB], 0000:9d:00.0, NUMA node 1): ranks 0,2\n"),
            std::string::npos)
      << drawn;
  EXPECT_NE(drawn.find("device 1 (GH100 [H100 SXM5 80GB], 0000:c3:00.0, NUMA node 1): rank 1\n"),
            std::string::npos)
      << drawn;
  EXPECT_NE(draw_machine(machine).find("0000:c3:00.0, NUMA node 1): near CPUs 56-111,168-223"),
            std::string::npos);
}
