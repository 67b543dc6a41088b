#include "machine/configuration.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace baton::machine {

namespace {

int cores_of(const Machine& machine, int node) {
  CoreChoice choice{CoreChoice::Kind::objects, Level::numa, {node}, 0};
  auto part = with_cores(machine, choice);
  return part ? core_count(*part) : 0;
}

// Chooses the first NUMA nodes that together have this many cores; all nodes, where these are too
// few.
CoreChoice fewest_nodes(const Machine& machine, const std::vector<int>& nodes, long cores) {
  CoreChoice choice{CoreChoice::Kind::objects, Level::numa, {}, 0};
  for (int node : nodes) {
    if (cores <= 0 && !choice.numbers.empty()) break;
    choice.numbers.push_back(node);
    cores -= cores_of(machine, node);
  }
  return choice;
}

}  // namespace

std::expected<Configuration, std::string> configure(const Machine& machine, const std::string& name,
                                                    int ranks, int width) {
  const bool spread = name == "spread" || name == "spread-interleave";
  const bool interleave = name == "interleave" || name == "spread-interleave";
  if (!spread && !interleave && name != "local" && name != "remote")
    return std::unexpected('"' + name +
                           "\" is none; there are local, interleave, spread, spread-interleave and "
                           "remote");
  const std::vector<int> nodes = nodes_with_cpus(machine);
  if (nodes.empty())
    return std::unexpected("this machine tells of no NUMA nodes, so there is nothing to choose");
  Configuration configuration;
  configuration.ranks = ranks > 0 ? ranks : std::max(1, cores_of(machine, nodes[0]) / width);
  const long cores = static_cast<long>(configuration.ranks) * width;
  configuration.cores =
      spread ? CoreChoice{.kind = CoreChoice::Kind::spread} : fewest_nodes(machine, nodes, cores);
  if (interleave)
    configuration.memory = "all=interleave";
  else if (spread)
    configuration.memory = "all=node:" + std::to_string(nodes[0]);
  else
    configuration.memory = name == "local" ? "all=near" : "all=remote";
  return configuration;
}

}  // namespace baton::machine
