// This is the part of mpiexec --explain about collectives: which algorithm calls took, and why. It
// is pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/algorithm.hpp"

namespace baton::launch {

// Reports by kind and size, for all ranks of the job together; empty when there were no calls.
std::string collectives_text(const CollectiveCounts& sum, std::uint32_t ranks);

// Returns a list of rows; docs/launching.md describes a row.
std::string collectives_json(const CollectiveCounts& sum, std::uint32_t ranks);

}  // namespace baton::launch
