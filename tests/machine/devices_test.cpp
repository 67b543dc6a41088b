#include "machine/devices.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_root.hpp"
#include "machine/placement.hpp"

using namespace baton::machine;

namespace {

void add_device(FakeRoot& root, const std::string& bus, int minor, int node,
                const std::string& cpus) {
  const std::string folder = "/sys/bus/pci/drivers/nvidia/" + bus;
  root.write(folder + "/numa_node", std::to_string(node) + "\n");
  root.write(folder + "/local_cpulist", cpus + "\n");
  if (minor >= 0)
    root.write("/proc/driver/nvidia/gpus/" + bus + "/information",
               "Model: \t\t NVIDIA H200\nIRQ:   \t\t 27\nGPU UUID: \t GPU-" +
                   std::to_string(minor) + "a34-56\nBus Location: \t " + bus +
                   "\nDevice Minor: \t " + std::to_string(minor) + "\n");
}

std::vector<std::string> buses(const std::vector<Device>& devices) {
  std::vector<std::string> found;
  for (const Device& device : devices) found.push_back(device.bus);
  return found;
}

std::vector<Device> three() {
  std::vector<Device> devices(3);
  for (int i = 0; i < 3; ++i) {
    devices[static_cast<std::size_t>(i)].bus = std::to_string(i);
    devices[static_cast<std::size_t>(i)].uuid = "GPU-" + std::to_string(i) + "ab-" + "cd";
  }
  return devices;
}

// Two packages of two CPUs; a device near each, or two near the first.
Machine small(bool both_near_first) {
  Machine machine;
  for (int i = 0; i < 4; ++i)
    machine.cpus.push_back(
        {.os = i, .core = i, .l2 = i, .l3 = i / 2, .numa_node = i / 2, .package = i / 2});
  machine.devices.resize(2);
  machine.devices[0].near = {0, 1};
  machine.devices[1].near = both_near_first ? std::vector{0, 1} : std::vector{2, 3};
  return machine;
}

std::vector<int> devices_of(const Placement& placement) {
  std::vector<int> found;
  for (const PlannedRank& rank : placement.ranks) found.push_back(rank.device);
  return found;
}

std::vector<int> placed(const Machine& machine, const PlacementPolicy& policy) {
  auto placement = place(machine, policy);
  EXPECT_TRUE(placement.has_value()) << (placement ? "" : placement.error());
  return placement ? devices_of(*placement) : std::vector<int>();
}

}  // namespace

TEST(devices, there_are_none_without_the_driver) {
  EXPECT_TRUE(read_devices("/no/such/root").empty());
}

TEST(devices, are_read_by_their_place_on_the_bus) {
  FakeRoot root;
  add_device(root, "0000:9d:00.0", 4, 1, "56-111,168-223");
  add_device(root, "0000:1b:00.0", 0, 0, "0-3");
  root.write("/sys/bus/pci/drivers/nvidia/new_id", "");
  const auto devices = read_devices(root.path);
  ASSERT_EQ(buses(devices), (std::vector<std::string>{"0000:1b:00.0", "0000:9d:00.0"}));
  EXPECT_EQ(devices[0].name, "NVIDIA H200");
  EXPECT_EQ(devices[1].uuid, "GPU-4a34-56");
  EXPECT_EQ(devices[1].minor, 4);
  EXPECT_EQ(devices[1].numa_node, 1);
  EXPECT_EQ(devices[0].near, (std::vector{0, 1, 2, 3}));
  EXPECT_TRUE(is_near(devices[1], 168));
  EXPECT_FALSE(is_near(devices[1], 167));
}

TEST(devices, a_machine_may_not_tell_where_they_are) {
  FakeRoot root;
  add_device(root, "0000:01:00.0", -1, -1, "");
  const auto devices = read_devices(root.path);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].name, "");
  EXPECT_EQ(devices[0].minor, -1);
  EXPECT_EQ(devices[0].numa_node, -1);
  EXPECT_TRUE(is_near(devices[0], 7));
}

TEST(devices, a_container_has_those_that_the_driver_tells_of_there) {
  FakeRoot root;
  add_device(root, "0000:01:00.0", -1, 0, "0");
  add_device(root, "0000:02:00.0", 1, 0, "0");
  EXPECT_EQ(buses(read_devices(root.path)), std::vector<std::string>{"0000:02:00.0"});
}

TEST(devices, a_process_sees_those_of_the_list_in_its_order) {
  using Buses = std::vector<std::string>;
  const auto seen = [](const char* value) { return buses(visible_devices(three(), value)); };
  EXPECT_EQ(buses(visible_devices(three(), std::nullopt)), (Buses{"0", "1", "2"}));
  EXPECT_EQ(seen("2,0"), (Buses{"2", "0"}));
  EXPECT_EQ(seen(" 1 , 2 "), (Buses{"1", "2"}));
  EXPECT_EQ(seen("GPU-2ab-cd,gpu-1a"), (Buses{"2", "1"}));
  EXPECT_EQ(seen(""), Buses{});
  EXPECT_EQ(seen("-1"), Buses{});
  EXPECT_EQ(seen("NoDevFiles"), Buses{});
  EXPECT_EQ(seen("0,3,1"), Buses{"0"}) << "what names no device ends the list";
  EXPECT_EQ(seen("1,GPU-9,2"), Buses{"1"});
}

TEST(devices, a_part_of_a_device_is_one) {
  const auto seen = visible_devices(three(), "MIG-GPU-1ab-cd/3/0,MIG-77aa-bb");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].bus, "1");
  EXPECT_EQ(seen[0].uuid, "MIG-GPU-1ab-cd/3/0");
  EXPECT_EQ(seen[1].bus, "") << "its name does not say where it is";
  EXPECT_TRUE(is_near(seen[1], 0));
}

TEST(ranks, get_the_device_near_them) {
  EXPECT_EQ(placed(small(false), {}), (std::vector{0, 0, 1, 1}));
  EXPECT_EQ(placed(small(true), {}), (std::vector{0, 1, 0, 1})) << "evenly, also the far ones";
  EXPECT_EQ(placed(small(false), {.map_by = Level::package}), (std::vector{0, 1, 0, 1}));
}

TEST(ranks, that_are_not_bound_get_devices_in_turn) {
  EXPECT_EQ(placed(small(false), {.ranks = 6}), (std::vector{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(placed(small(false), {.ranks = 5, .by_device = true}), (std::vector{0, 1, 0, 1, 0}));
}

TEST(ranks, without_devices_get_none) {
  Machine machine = small(false);
  machine.devices.clear();
  EXPECT_EQ(placed(machine, {.ranks = 2}), (std::vector{-1, -1}));
  auto refused = place(machine, {.ranks = 2, .by_device = true});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().find("--map-by gpu: no device is seen here"), std::string::npos);
}

TEST(ranks, mapped_by_devices_go_near_them) {
  auto plan = place(small(false), {.ranks = 4, .by_device = true});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(devices_of(*plan), (std::vector{0, 1, 0, 1}));
  std::vector<int> packages;
  for (const PlannedRank& rank : plan->ranks) packages.push_back(rank.common.package);
  EXPECT_EQ(packages, (std::vector{0, 1, 0, 1}));
}

TEST(ranks, mapped_by_devices_keep_theirs_where_its_cpus_are_too_few) {
  Machine machine = small(false);
  machine.devices[1].near = {0, 1};
  auto plan = place(machine, {.ranks = 4, .by_device = true, .per_object = 2});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(devices_of(*plan), (std::vector{0, 0, 1, 1}));
}

TEST(ranks, that_are_not_bound_are_as_many_on_each_device) {
  EXPECT_EQ(placed(small(false), {.bind_to = Level::machine, .by_device = true, .per_object = 3}),
            (std::vector{0, 0, 0, 1, 1, 1}));
}

TEST(ranks, numbered_again_keep_their_devices) {
  auto plan =
      place(small(false),
            {.ranks = 4, .by_device = true, .ranking = {Ranking::Kind::fill, Level::package}});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(devices_of(*plan), (std::vector{0, 0, 1, 1}));
}
