#include <algorithm>
#include <cstddef>

#include "machine/draw.hpp"
#include "machine/draw_cells.hpp"

namespace baton::machine {

namespace {

std::string right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

std::string nodes_text(std::vector<int> nodes) {
  const bool many = nodes.size() > 1;
  return (many ? "nodes " : "node ") + cpu_list(std::move(nodes));
}

// Returns a node's speeds by the CPUs that see them; CPUs that see equal speeds are together.
std::string speeds_text(const NumaNode& node) {
  std::vector<std::string> speeds;
  for (const MemoryPath& path : node.paths)
    if (std::string speed = speed_label(path);
        !speed.empty() && std::ranges::find(speeds, speed) == speeds.end())
      speeds.push_back(speed);
  std::string text;
  for (const std::string& speed : speeds) {
    std::vector<int> from;
    for (const MemoryPath& path : node.paths)
      if (speed_label(path) == speed) from.push_back(path.from);
    const bool own = from.size() == 1 && from.front() == node.os;
    text += "; " + speed + (own ? " from its own CPUs" : " from CPUs of " + nodes_text(from));
  }
  return text;
}

std::string node_line(const Machine& machine, const NumaNode& node) {
  std::string text = "NUMA node " + std::to_string(node.os) + ": " + memory_label(node);
  if (std::vector<int> near = near_nodes(node); !node.has_cpus && !near.empty())
    text += ", near " + nodes_text(std::move(near));
  text += speeds_text(node);
  if (weighs(machine)) text += "; weight " + std::to_string(node.weight) + " in interleaving";
  return text + '\n';
}

// Returns the distances from nodes with CPUs to all nodes; other distances matter to nobody.
std::string distances_text(const Machine& machine) {
  if (machine.memory.size() < 2) return {};
  const bool told = std::ranges::any_of(machine.memory, [](const NumaNode& node) {
    return std::ranges::any_of(node.paths,
                               [](const MemoryPath& path) { return path.distance > 0; });
  });
  if (!told) return "distances between nodes: nothing on this machine tells them\n";
  constexpr std::size_t width = 5;
  std::string text = "distance from CPUs of a node (row) to the memory of a node (column)\n";
  text += std::string(width, ' ');
  for (const NumaNode& node : machine.memory) text += right(std::to_string(node.os), width);
  text += '\n';
  for (const MemoryPath& row : machine.memory.front().paths) {
    text += right(std::to_string(row.from), width);
    for (const NumaNode& node : machine.memory) {
      const MemoryPath* path = find_path(node, row.from);
      text += right(path && path->distance ? std::to_string(path->distance) : "?", width);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string draw_memory(const Machine& machine) {
  std::string text;
  for (const NumaNode& node : machine.memory) text += node_line(machine, node);
  if (!tells_speeds(machine)) text += std::string(no_speeds) + '\n';
  text += distances_text(machine);
  if (machine.memory_limit_bytes > 0)
    text += "control group's memory limit: " + size_text(machine.memory_limit_bytes) + " in all\n";
  return text;
}

}  // namespace baton::machine
