#include <algorithm>
#include <array>

#include "machine/machine.hpp"

namespace baton::machine {

namespace {

// Bandwidths that differ by less belong to one kind of memory; a guess.
constexpr std::uint64_t clear_percent = 125;

bool is_one_of(const std::string& kind, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&kind](const char* name) { return kind == name; });
}

// Returns the path of the local CPUs with the highest bandwidth to it; null: none is known.
const MemoryPath* best_path(const NumaNode& node) {
  const MemoryPath* best = nullptr;
  for (const MemoryPath& path : node.paths)
    if (path.local && path.mib_per_second > 0 &&
        (!best || path.mib_per_second > best->mib_per_second))
      best = &path;
  return best;
}

Tier tier_by_bandwidth(const Machine& machine, const NumaNode& node) {
  const MemoryPath* path = best_path(node);
  const NumaNode* own = path ? find_node(machine, path->from) : nullptr;
  const MemoryPath* dram = own ? find_path(*own, path->from) : nullptr;
  if (!dram || dram->mib_per_second == 0) return Tier::slow;
  if (path->mib_per_second * 100 >= dram->mib_per_second * clear_percent) return Tier::hbm;
  if (path->mib_per_second * clear_percent <= dram->mib_per_second * 100) return Tier::slow;
  return Tier::dram;
}

Tier tier_of(const Machine& machine, const NumaNode& node) {
  if (is_one_of(node.kind, {"HBM", "MCDRAM"})) return Tier::hbm;
  if (is_one_of(node.kind, {"NVM", "CXL-DRAM", "CXL-NVM", "CXL"})) return Tier::slow;
  if (node.has_cpus || node.kind == "DRAM") return Tier::dram;
  return tier_by_bandwidth(machine, node);
}

}  // namespace

void judge_tiers(Machine& machine) {
  for (NumaNode& node : machine.memory) node.tier = tier_of(machine, node);
}

const NumaNode* find_node(const Machine& machine, int os) {
  auto found = std::ranges::find(machine.memory, os, &NumaNode::os);
  return found == machine.memory.end() ? nullptr : &*found;
}

const MemoryPath* find_path(const NumaNode& node, int from) {
  auto found = std::ranges::find(node.paths, from, &MemoryPath::from);
  return found == node.paths.end() ? nullptr : &*found;
}

const char* tier_word(Tier tier) {
  constexpr std::array words = {"hbm", "dram", "slow"};
  return words[static_cast<std::size_t>(tier)];
}

const char* tier_name(Tier tier) {
  constexpr std::array names = {"HBM", "DRAM", "slow memory"};
  return names[static_cast<std::size_t>(tier)];
}

std::string memory_name(const NumaNode& node) {
  return node.kind.empty() ? tier_name(node.tier) : node.kind;
}

std::vector<int> near_nodes(const NumaNode& node) {
  std::vector<int> near;
  for (const MemoryPath& path : node.paths)
    if (path.local) near.push_back(path.from);
  return near;
}

bool weighs(const Machine& machine) {
  const auto& nodes = machine.memory;
  return std::ranges::all_of(nodes, [](const NumaNode& node) { return node.weight > 0; }) &&
         !std::ranges::all_of(
             nodes, [&](const NumaNode& node) { return node.weight == nodes.front().weight; });
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  if (bytes < gib) return std::to_string(bytes >> 20) + " MiB";
  return std::to_string((bytes + gib / 2) / gib) + " GiB";
}

std::string bandwidth_text(std::uint64_t mib_per_second) {
  return std::to_string((mib_per_second * 1048576 + 500000000) / 1000000000) + " GB/s";
}

}  // namespace baton::machine
