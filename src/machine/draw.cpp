#include "machine/draw.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace baton::machine {

namespace {

struct Place {
  int package;
  int numa_node;
  int l3;
  auto operator<=>(const Place&) const = default;
};

// Usable CPUs by place, in topology order, hardware threads of one core together.
std::map<Place, std::vector<std::vector<const Cpu*>>> cores_by_place(const Machine& machine) {
  std::map<Place, std::vector<std::vector<const Cpu*>>> places;
  for (const Cpu& cpu : machine.cpus) {
    auto& cores = places[{cpu.package, cpu.numa_node, cpu.l3}];
    if (cores.empty() || cores.back().front()->core != cpu.core) cores.emplace_back();
    cores.back().push_back(&cpu);
  }
  return places;
}

std::string heading(const Place& place) {
  std::string text;
  if (place.package >= 0) text += "package " + std::to_string(place.package) + ", ";
  if (place.numa_node >= 0) text += "memory node " + std::to_string(place.numa_node) + ", ";
  if (place.l3 >= 0) text += "L3 " + std::to_string(place.l3) + ", ";
  text.resize(text.empty() ? 0 : text.size() - 2);
  return text.empty() ? "machine" : text;
}

std::string cell(const std::string& core, const std::string& content) {
  return "[" + core + ": " + content + "]";
}

std::string core_label(const std::vector<const Cpu*>& core) {
  std::vector<int> numbers;
  for (const Cpu* cpu : core) numbers.push_back(cpu->os);
  return cpu_list(std::move(numbers));
}

std::string ranks_on(const std::vector<const Cpu*>& core, const Placement& placement) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
    for (const Cpu* cpu : core)
      if (std::ranges::binary_search(placement.ranks[rank].cpus, cpu->os)) {
        ranks.push_back(static_cast<int>(rank));
        break;
      }
  return ranks.empty() ? "." : cpu_list(std::move(ranks));
}

std::string wrapped(const std::vector<std::string>& cells) {
  std::string text;
  std::size_t column = 0;
  for (const std::string& one : cells) {
    if (column == 0 || column + one.size() > 92) {
      if (column) text += '\n';
      text += "  ";
      column = 2;
    }
    text += one + ' ';
    column += one.size() + 1;
  }
  return text + '\n';
}

std::string bytes_text(std::uint64_t bytes) {
  double gib = static_cast<double>(bytes) / (1 << 30);
  return std::to_string(static_cast<long>(gib + 0.5)) + " GiB";
}

}  // namespace

std::string draw_machine(const Machine& machine) {
  std::string text = std::to_string(machine.cpus.size()) + " usable of " +
                     std::to_string(machine.cpus_present) + " CPUs, " +
                     std::to_string(core_count(machine)) + " cores";
  if (machine.quota_cpus > 0)
    text += ", control group's quota " + std::to_string(machine.quota_cpus).substr(0, 5) + " CPUs";
  text += '\n';
  for (const auto& [place, cores] : cores_by_place(machine)) {
    text += heading(place) + '\n';
    std::vector<std::string> cells;
    for (const auto& core : cores) cells.push_back("[" + core_label(core) + "]");
    text += wrapped(cells);
  }
  for (const MemoryNode& node : machine.memory)
    text += "memory node " + std::to_string(node.os) + ": " + bytes_text(node.bytes) +
            (node.has_cpus ? "" : " (no CPUs)") + '\n';
  return text;
}

std::string draw_placement(const Machine& machine, const Placement& placement) {
  std::string text = placement.reason;
  if (placement.bound_to == Level::machine) return text + '\n';
  text += std::string(", bound to ") + level_name(placement.bound_to) + " (CPU: ranks)\n";
  for (const auto& [place, cores] : cores_by_place(machine)) {
    text += heading(place) + '\n';
    std::vector<std::string> cells;
    for (const auto& core : cores)
      cells.push_back(cell(core_label(core), ranks_on(core, placement)));
    text += wrapped(cells);
  }
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
    text += "rank " + std::to_string(rank) + ": CPU " + cpu_list(placement.ranks[rank].cpus) + '\n';
  return text;
}

}  // namespace baton::machine
