// What the drawings in text and SVG have in common: cores by where they lie, and their labels.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "machine/placement.hpp"

namespace baton::machine {

struct Place {
  int package;
  int numa_node;
  int l3;
  auto operator<=>(const Place&) const = default;
};
using Core = std::vector<const Cpu*>;  // its usable hardware threads

// In topology order.
std::map<Place, std::vector<Core>> cores_by_place(const Machine& machine);

// "package 0, NUMA node 1, L3 2"; "machine" where nothing is known.
std::string heading(const Place& place);
// The kernel's numbers of its CPUs.
std::string core_label(const Core& core);
// The ranks that may run there; "." for none.
std::string ranks_on(const Core& core, const Placement& placement);

// "64 GiB HBM (MCDRAM, no CPUs)".
std::string memory_label(const NumaNode& node);
// "307 GB/s and 110 ns"; empty: nothing tells.
std::string speed_label(const MemoryPath& path);
// Whether anything tells bandwidths or latencies of some node.
bool tells_speeds(const Machine& machine);
// Said where nothing does.
inline constexpr const char* no_speeds =
    "bandwidths and latencies: nothing on this machine tells them";

}  // namespace baton::machine
