#include "machine/draw_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace baton::machine {

std::map<Place, std::vector<Core>> cores_by_place(const Machine& machine) {
  std::map<Place, std::vector<Core>> places;
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

std::string core_label(const Core& core) {
  std::vector<int> numbers;
  for (const Cpu* cpu : core) numbers.push_back(cpu->os);
  return cpu_list(std::move(numbers));
}

std::string ranks_on(const Core& core, const Placement& placement) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
    for (const Cpu* cpu : core)
      if (std::ranges::binary_search(placement.ranks[rank].cpus, cpu->os)) {
        ranks.push_back(static_cast<int>(rank));
        break;
      }
  return ranks.empty() ? "." : cpu_list(std::move(ranks));
}

std::string bytes_text(std::uint64_t bytes) {
  double gib = static_cast<double>(bytes) / (1 << 30);
  return std::to_string(static_cast<long>(gib + 0.5)) + " GiB";
}

}  // namespace baton::machine
