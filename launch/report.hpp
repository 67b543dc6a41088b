// What the launcher tells people about the ends of ranks.
#pragma once

#include <string>

#include "machine/placement.hpp"

namespace baton::launch {

// Prints "mpiexec: TEXT" on standard error.
void complain(const std::string& text);

// "rank 3 on core 5", or "rank 3" when it was not bound to one core.
std::string rank_text(int rank, const machine::Placement& placement);

}  // namespace baton::launch
