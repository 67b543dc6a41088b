// Describes a long wait of this rank for the status board: the call, its data and its partners, in
// words and as ranks. It is called by message/core/wait_report, on cold paths only.
#pragma once

#include <cstdint>

#include "world/communicator.hpp"

namespace baton::collective {

// Returns a hash of a communicator's members, which is the same on all of them; other communicators
// have others.
std::uint64_t members_hash(const world::Communicator& comm);

// Returns the window procedure that the program has called where the communicator is a window's;
// null: another procedure, or not known. It is found by a walk up the stack.
const char* caller_on(const world::Communicator& comm);

// Makes long waits described from now on. It is called at start.
void describe_long_waits();

}  // namespace baton::collective
