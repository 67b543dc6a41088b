// This draws the machine for people: `mpiexec --report-binding` and `baton topo`.
#pragma once

#include <string>

#include "machine/placement.hpp"

namespace baton::machine {

// Draws the machine alone: packages and cores, then its memory.
std::string draw_machine(const Machine& machine);

// Draws each NUMA node with its tier, its size and its speed, if known; the distances of nodes from
// each other; and the control group's limit. It is part of draw_machine.
std::string draw_memory(const Machine& machine);

// Draws every core with the ranks bound to it, then one line a rank.
std::string draw_placement(const Machine& machine, const Placement& placement);

}  // namespace baton::machine
