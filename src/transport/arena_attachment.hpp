// Attaches this process to the job's arena (transport/arena.hpp) at start, and detaches it at the
// end, with everything that was mapped of other ranks. It is called by world/ (through
// transport/node.hpp). Arenas of meeting, which several jobs share, are joined later
// (message/meet.hpp).
// Invariant: a process is attached to its own job's arena before it joins another, and longer.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"
#include "transport/arena.hpp"

namespace baton::transport {

// Maps the launcher's memory file and reserves this rank's fixed parts. The main thread calls it
// once.
Error attach_arena(int descriptor, LocalRank rank);

// Makes an arena of one rank, for a program started without mpiexec.
Error make_lone_arena(std::uint32_t cpus_usable);

// Detaches it, and all arenas of meeting. No message is under way.
void detach_arena();

// Takes a slot of an arena of meeting: its maker has written the slots' processes and places, and
// has given this process the memory file, which is ours from here on. `*joined` is linked behind
// the job's arena. Errors, explained: MPI_ERR_NO_MEM, or MPI_ERR_OTHER (the file is no arena, or
// the slot is taken).
[[nodiscard]] Error join_arena(int descriptor, std::uint32_t index, Arena** joined);
void leave_arena(Arena& arena);

}  // namespace baton::transport
