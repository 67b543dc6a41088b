#include "machine/draw.hpp"

#include <cstddef>
#include <utility>

#include "machine/devices.hpp"
#include "machine/draw_cells.hpp"

namespace baton::machine {

namespace {

std::string cell(const std::string& core, const std::string& content) {
  return "[" + core + ": " + content + "]";
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

// Returns a line for each device: which ranks are to use it.
std::string draw_devices(const Machine& machine, const Placement& placement) {
  std::string text;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    const auto number = static_cast<int>(i);
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
      if (placement.ranks[rank].device == number)
        ranks.push_back(placement.first_rank + static_cast<int>(rank));
    text +=
        device_text(machine, number) + ": " +
        (ranks.empty() ? "no rank" : (ranks.size() > 1 ? "ranks " : "rank ") + cpu_list(ranks)) +
        '\n';
  }
  return text;
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
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    const Device& device = machine.devices[i];
    text += device_text(machine, static_cast<int>(i));
    if (!device.near.empty()) text += ": near CPUs " + cpu_list(device.near);
    text += '\n';
  }
  return text + draw_memory(machine);
}

std::string draw_placement(const Machine& machine, const Placement& placement) {
  std::string text = placement.reason;
  if (placement.bound_to == Level::machine) return text + '\n' + draw_devices(machine, placement);
  text += std::string(", bound to ") + level_name(placement.bound_to) + " (CPU: ranks)\n";
  for (const auto& [place, cores] : cores_by_place(machine)) {
    text += heading(place) + '\n';
    std::vector<std::string> cells;
    for (const auto& core : cores)
      cells.push_back(cell(core_label(core), ranks_on(core, placement)));
    text += wrapped(cells);
  }
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
    text += "rank " + std::to_string(placement.first_rank + static_cast<int>(rank)) + ": CPU " +
            cpu_list(placement.ranks[rank].cpus) + '\n';
  return text + draw_devices(machine, placement);
}

}  // namespace baton::machine
