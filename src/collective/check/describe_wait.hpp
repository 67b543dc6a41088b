// What this rank tells on the status board of a long wait: the call, its data and its partners, in
// words and as ranks. Called by message/wait_report, on cold paths only.
#pragma once

#include <cstdint>

#include "world/communicator.hpp"

namespace baton::collective {

// The same for all members, whatever they call it; others have another.
std::uint64_t members_hash(const world::Communicator& comm);

// What the program has called where the communicator is a window's, whose own calls are no
// procedures; null: another one, or not known. A walk up the stack.
const char* caller_on(const world::Communicator& comm);

// From now on long waits are described. At start.
void describe_long_waits();

}  // namespace baton::collective
