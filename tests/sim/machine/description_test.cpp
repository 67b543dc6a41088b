#include "sim/machine/description.hpp"

#include <gtest/gtest.h>

#include "tests/sim/machine/one_machine.hpp"

namespace baton::model {
namespace {

TEST(description, has_the_cpus_and_nodes_that_baton_plans_with) {
  const Description description(two_packages());
  const machine::Machine& machine = description.machine();
  ASSERT_EQ(machine.cpus.size(), 8u);
  EXPECT_EQ(machine.cpus[5].package, 1);
  EXPECT_EQ(machine.cpus[5].numa_node, 1);
  ASSERT_EQ(machine.memory.size(), 2u);
  EXPECT_TRUE(machine::find_path(machine.memory[1], 1)->local);
  EXPECT_EQ(machine::find_path(machine.memory[1], 0)->latency_nanoseconds, 128u);
}

TEST(description, memory_without_cpus_comes_last_and_is_judged_by_its_bandwidth) {
  const Description description(with_fast_memory());
  const machine::Machine& machine = description.machine();
  ASSERT_EQ(machine.memory.size(), 2u);
  EXPECT_FALSE(machine.memory[1].has_cpus);
  EXPECT_EQ(machine.memory[1].tier, machine::Tier::hbm);
  EXPECT_EQ(machine.cpus[3].l2, 1);
  EXPECT_DOUBLE_EQ(description.latency(7, 1), 160e-9);
}

TEST(description, a_file_that_lacks_something_says_what) {
  auto refusal_without = [](Json json, const char* key, const char* inner) {
    (inner ? json[key] : json).erase(inner ? inner : key);
    try {
      const Description description(json);
      return std::string();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal_without(two_packages(), "shape", nullptr), "the file has no \"shape\"");
  EXPECT_EQ(refusal_without(two_packages(), "shape", "packages"), "the file has no \"packages\"");
  for (const char* needed :
       {"core.lines", "DDR3.bandwidth", "DDR3.latency", "DDR3.remote_latency", "link.bandwidth"})
    EXPECT_EQ(refusal_without(two_packages(), "parameters", needed),
              std::string("there is no parameter ") + needed);
  EXPECT_EQ(refusal_without(with_fast_memory(), "parameters", "mesh.bandwidth"), "");
}

TEST(description, packages_are_joined_by_links_ports_or_a_bus) {
  EXPECT_EQ(Description(two_packages()).bus_resource(), -1);
  const Description ports{with_ports()};
  EXPECT_NE(ports.port_resource(0, true), ports.port_resource(0, false));
  EXPECT_EQ(ports.link_resource(0, 1), -1);
  const Description hosts{three_hosts()};
  EXPECT_EQ(hosts.hosts(), 3);
  EXPECT_EQ(hosts.machine().cpus.size(), 8u);  // those of one
  EXPECT_EQ(hosts.resources().at(static_cast<std::size_t>(hosts.bus_resource())).name, "bus");
}

TEST(description, resources_that_are_not_limited_are_left_out) {
  const Description description(two_packages());
  EXPECT_EQ(description.mesh_resource(0), -1);
  EXPECT_EQ(description.tile_resource(0), -1);
  EXPECT_EQ(description.link_resource(0, 0), -1);
  EXPECT_NE(description.link_resource(0, 1), description.link_resource(1, 0));
  EXPECT_NE(description.memory_resource(0), description.memory_resource(1));
}

}  // namespace
}  // namespace baton::model
