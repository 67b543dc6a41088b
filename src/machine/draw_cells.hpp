// The drawings in text and SVG have this in common: cores by place, and labels.
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

// Returns the cores of each place, in topology order.
std::map<Place, std::vector<Core>> cores_by_place(const Machine& machine);

// Returns "package 0, NUMA node 1, L3 2"; "machine" where no place is known.
std::string heading(const Place& place);
// Returns the kernel's numbers of a core's CPUs.
std::string core_label(const Core& core);
// Returns the ranks that may run on a core; "." if there are none.
std::string ranks_on(const Core& core, const Placement& placement);

// Returns "64 GiB HBM (MCDRAM, no CPUs)".
std::string memory_label(const NumaNode& node);
// Returns "307 GB/s and 110 ns"; empty where neither is known.
std::string speed_label(const MemoryPath& path);
// Returns whether the bandwidth or latency of some node is known.
bool tells_speeds(const Machine& machine);
// This is printed where no speed is known.
inline constexpr const char* no_speeds =
    "bandwidths and latencies: nothing on this machine tells them";

}  // namespace baton::machine
