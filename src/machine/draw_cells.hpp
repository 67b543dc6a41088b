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

// "package 0, memory node 1, L3 2"; "machine" where nothing is known.
std::string heading(const Place& place);
// The kernel's numbers of its CPUs.
std::string core_label(const Core& core);
// The ranks that may run there; "." for none.
std::string ranks_on(const Core& core, const Placement& placement);
// In GiB.
std::string bytes_text(std::uint64_t bytes);

}  // namespace baton::machine
