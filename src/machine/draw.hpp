// Drawings of the machine for people: `mpiexec --report-binding` and `baton topo`.
#pragma once

#include <string>

#include "machine/placement.hpp"

namespace baton::machine {

// The machine alone: packages and cores, then its memory.
std::string draw_machine(const Machine& machine);

// Each NUMA node with its tier, size and what is known of its speed; how far nodes are from each
// other; the control group's limit. Part of the above.
std::string draw_memory(const Machine& machine);

// Every core with the ranks bound to it, then one line a rank.
std::string draw_placement(const Machine& machine, const Placement& placement);

}  // namespace baton::machine
