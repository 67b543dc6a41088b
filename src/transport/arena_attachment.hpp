// How this process gets its view of the job's arena (transport/arena.hpp) at start, and gives it up
// at the end, with all that was mapped of other ranks. Called by world/ (transport/node.hpp).
// Invariant: a process is attached to one arena at a time.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"

namespace baton::transport {

// Maps the launcher's memory file and reserves this rank's fixed parts. Once, by the main thread.
Error attach_arena(int descriptor, LocalRank rank);

// For a program started without mpiexec: an arena of one rank.
Error make_lone_arena(std::uint32_t cpus_usable);

void detach_arena();

}  // namespace baton::transport
