// The part of mpiexec --explain about windows: how operations reached their targets, and why not
// more cheaply. Pure.
#pragma once

#include <string>

#include "base/reason.hpp"

namespace baton::launch {

// Adds one rank's counts to a sum.
void add_counts(OneSidedCounts& sum, const OneSidedCounts& counts);

// By memory, way and operation, of all ranks of the job together; empty when there were none.
// `probe_errno`: of a kernel that refuses copies for a reason of its own.
std::string windows_text(const OneSidedCounts& sum, int probe_errno);

// A list of rows; docs/launching.md says what is in one.
std::string windows_json(const OneSidedCounts& sum, int probe_errno);

}  // namespace baton::launch
