// The machine as a picture that opens from disk: `mpiexec --report-binding=FILE.svg`, `baton topo
// --svg FILE`.
#pragma once

#include <string>

#include "machine/placement.hpp"

namespace baton::machine {

// Packages, NUMA nodes, L3 caches and cores, one box in the other.
std::string draw_machine_svg(const Machine& machine);

// Besides, the ranks on each core, in a color of their own.
std::string draw_placement_svg(const Machine& machine, const Placement& placement);

}  // namespace baton::machine
