// This is the part of mpiexec --explain about windows: how operations reached their targets, and
// why not more cheaply. It is pure.
#pragma once

#include <string>

#include "base/reason.hpp"

namespace baton::launch {

// Adds one rank's counts to a sum.
void add_counts(OneSidedCounts& sum, const OneSidedCounts& counts);

// Reports by memory, way and operation, for all ranks of the job together; empty when there were
// none. `probe_errno` is the errno of a kernel that refuses copies.
std::string windows_text(const OneSidedCounts& sum, int probe_errno);

// Returns a list of rows; docs/launching.md describes a row.
std::string windows_json(const OneSidedCounts& sum, int probe_errno);

}  // namespace baton::launch
