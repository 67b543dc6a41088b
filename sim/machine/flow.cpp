#include "sim/machine/flow.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace baton::model {

namespace {

using Uses = std::vector<std::pair<int, int>>;

void add(Uses& uses, int resource) {
  if (resource >= 0) uses.push_back({resource, 1});
}

}  // namespace

Uses way(const Description& description, const machine::Cpu& cpu, int node, bool to_memory) {
  Uses uses;
  const int package = description.package_of_node(node);
  add(uses, description.memory_resource(node));
  add(uses, description.mesh_resource(package));
  add(uses, description.bus_resource());
  if (package != cpu.package) {
    add(uses, to_memory ? description.link_resource(cpu.package, package)
                        : description.link_resource(package, cpu.package));
    add(uses, description.remote_resource(cpu.package, node));
    add(uses, description.port_resource(to_memory ? cpu.package : package, true));
    add(uses, description.port_resource(to_memory ? package : cpu.package, false));
  }
  return uses;
}

std::vector<Flow> flows_of(const Description& description, int cpu,
                           const std::vector<Share>& shares, double lines, Order order,
                           double computing) {
  const machine::Cpu& core = description.cpu(cpu);
  std::vector<Flow> flows;
  double all_seconds = 0;  // that a line's buffer is taken, for each byte that the program counts
  std::vector<double> seconds;
  for (const Share& share : shares) {
    if (share.reads < 0 || share.writes < 0)
      throw std::runtime_error("a share of traffic is not negative");
    // A buffer is taken by what is read, and by what is read to be overwritten; not by what the
    // cache writes back.
    const double read = share.reads + share.writes;
    const auto part = static_cast<int>(seconds.size());
    seconds.push_back(read * description.latency(cpu, share.node));
    all_seconds += seconds.back();
    if (read > 0)
      flows.push_back({fmt::format("read {}", share.node), read,
                       way(description, core, share.node, false), 0, part});
    if (share.writes > 0)
      flows.push_back({fmt::format("write {}", share.node), share.writes,
                       way(description, core, share.node, true), 0, part});
  }
  if (flows.empty()) throw std::runtime_error("a rank without traffic has nothing to simulate");
  for (Flow& flow : flows) {
    const double taken =
        order == Order::at_once ? all_seconds : seconds[static_cast<std::size_t>(flow.part)];
    flow.bytes_per_second_max = flow.bytes_per_byte / (taken / (lines * line_bytes) + computing);
  }
  return flows;
}

}  // namespace baton::model
