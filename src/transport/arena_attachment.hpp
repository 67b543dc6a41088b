// Attaches this process to the job's arena (transport/arena.hpp) at start, and detaches it at the
// end, with everything that was mapped of other ranks. It is called by world/ (through
// transport/node.hpp).
// Invariant: a process is attached to one arena at a time.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"

namespace baton::transport {

// Maps the launcher's memory file and reserves this rank's fixed parts. The main thread calls it
// once.
Error attach_arena(int descriptor, LocalRank rank);

// Makes an arena of one rank, for a program started without mpiexec.
Error make_lone_arena(std::uint32_t cpus_usable);

void detach_arena();

}  // namespace baton::transport
