// What the study leaves open, each assumption changed alone: how far does it move the best gain?
// A list as data; called by the sweep. Nothing here was chosen to meet the study's number.
#pragma once

#include <vector>

#include "sim/bus/grid.hpp"

namespace baton::bus {

/// The sweep's own: no overhead, as many busy nodes as the idle share says, each with all of its
/// earlier transfer left, and rank order that waits for all.
Assumption base_assumption();

/// Each differs from the base in what its name says.
std::vector<Assumption> changed_assumptions();

}  // namespace baton::bus
