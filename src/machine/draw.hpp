// Drawings of the machine for people: `mpiexec --report-binding` and `baton topo`.
#pragma once

#include <string>

#include "machine/placement.hpp"

namespace baton::machine {

// The machine alone: packages, memory, cores.
std::string draw_machine(const Machine& machine);

// Every core with the ranks bound to it, then one line a rank.
std::string draw_placement(const Machine& machine, const Placement& placement);

}  // namespace baton::machine
