#include "machine/draw.hpp"

#include <cstddef>
#include <utility>

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
  return text + draw_memory(machine);
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
    text += "rank " + std::to_string(placement.first_rank + static_cast<int>(rank)) + ": CPU " +
            cpu_list(placement.ranks[rank].cpus) + '\n';
  return text;
}

}  // namespace baton::machine
