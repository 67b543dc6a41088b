#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "machine/discover.hpp"
#include "machine/draw.hpp"
#include "machine/draw_svg.hpp"

namespace baton::cli {

namespace {

void print_json(const machine::Machine& machine, std::size_t ranks) {
  using Json = nlohmann::ordered_json;
  Json cpus = Json::array(), nodes = Json::array(), devices = Json::array();
  for (const machine::Cpu& cpu : machine.cpus)
    cpus.push_back({{"cpu", cpu.os},
                    {"core", cpu.core},
                    {"l2", cpu.l2},
                    {"l3", cpu.l3},
                    {"numa_node", cpu.numa_node},
                    {"package", cpu.package}});
  for (const machine::NumaNode& node : machine.memory)
    nodes.push_back({{"node", node.os},
                     {"bytes", node.bytes},
                     {"has_cpus", node.has_cpus},
                     {"kind", node.kind},
                     {"tier", machine::tier_word(node.tier)}});
  for (const machine::Device& device : machine.devices)
    devices.push_back({{"name", device.name},
                       {"bus", device.bus},
                       {"uuid", device.uuid},
                       {"numa_node", device.numa_node},
                       {"near", machine::cpu_list(device.near)}});
  const Json all{{"model", machine.model},
                 {"cpus_present", machine.cpus_present},
                 {"cpus_usable", machine::cpus_usable(machine)},
                 {"quota_cpus", machine.quota_cpus},
                 {"memory_limit_bytes", machine.memory_limit_bytes},
                 {"ranks_by_default", ranks},
                 {"cpus", cpus},
                 {"memory", nodes},
                 {"devices", devices}};
  write_out("{}\n", all.dump());
}

}  // namespace

int print_topology(const std::string& captured_file, const std::string& svg_file, bool json) {
  auto machine = captured_file.empty() ? machine::read_machine()
                                       : machine::read_captured_machine(captured_file);
  if (!machine) {
    write_error("baton topo: {}\n", machine.error());
    return 1;
  }
  if (captured_file.empty()) machine::read_memory_rules(*machine);
  auto placement = machine::place(*machine, {});
  if (!placement) {
    write_error("baton topo: {}\n", placement.error());
    return 1;
  }
  if (json)
    print_json(*machine, placement->ranks.size());
  else
    write_out("{}mpiexec without -n: {} ranks\n", machine::draw_machine(*machine),
              placement->ranks.size());
  if (svg_file.empty()) return 0;
  std::ofstream file(svg_file);
  file << machine::draw_machine_svg(*machine);
  file.close();
  if (file) return 0;
  write_error("baton topo: --svg {}: {}\n", svg_file, std::strerror(errno));
  return 1;
}

}  // namespace baton::cli
