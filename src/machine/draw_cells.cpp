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
  if (place.numa_node >= 0) text += "NUMA node " + std::to_string(place.numa_node) + ", ";
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
        ranks.push_back(placement.first_rank + static_cast<int>(rank));
        break;
      }
  return ranks.empty() ? "." : cpu_list(std::move(ranks));
}

std::string memory_label(const NumaNode& node) {
  std::string more = node.kind == tier_name(node.tier) ? "" : node.kind;
  if (!node.has_cpus) more += more.empty() ? "no CPUs" : ", no CPUs";
  return size_text(node.bytes) + ' ' + tier_name(node.tier) +
         (more.empty() ? "" : " (" + more + ')');
}

std::string speed_label(const MemoryPath& path) {
  std::string text;
  if (path.mib_per_second > 0) text = bandwidth_text(path.mib_per_second);
  if (path.latency_nanoseconds > 0)
    text += (text.empty() ? "" : " and ") + std::to_string(path.latency_nanoseconds) + " ns";
  return text;
}

bool tells_speeds(const Machine& machine) {
  return std::ranges::any_of(machine.memory, [](const NumaNode& node) {
    return std::ranges::any_of(node.paths,
                               [](const MemoryPath& path) { return !speed_label(path).empty(); });
  });
}

}  // namespace baton::machine
