// This draws the machine as a picture file: `mpiexec --report-binding=FILE.svg`, `baton topo --svg
// FILE`.
#pragma once

#include <string>

#include "machine/placement.hpp"

namespace baton::machine {

// Draws packages, NUMA nodes, L3 caches and cores, one box in the other.
std::string draw_machine_svg(const Machine& machine);

// Draws the ranks on each core, too, each in a color of its own.
std::string draw_placement_svg(const Machine& machine, const Placement& placement);

}  // namespace baton::machine
