// The part of mpiexec --explain about collectives: which algorithm calls took, and why. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/algorithm.hpp"

namespace baton::launch {

// By kind and size, of all ranks of the job together; empty when there were none.
std::string collectives_text(const CollectiveCounts& sum, std::uint32_t ranks);

// A list of rows; docs/launching.md says what is in one.
std::string collectives_json(const CollectiveCounts& sum, std::uint32_t ranks);

}  // namespace baton::launch
