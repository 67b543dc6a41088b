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

// Attaches this process, as one of the ranks, to the job's memory that mpiexec has made, and
// reserves the rank's fixed parts. The main thread calls it once. Errors are explained.
[[nodiscard]] Error attach(int descriptor, LocalRank rank);
// Attaches it as the only rank of a program that was started without mpiexec.
[[nodiscard]] Error attach_alone(std::uint32_t cpus_usable);

// Detaches it from the job's arena and from all arenas of meeting. No message is under way.
void detach_arena();

// Takes a slot of an arena of meeting: its maker has written the slots' processes and places, and
// has given this process the memory file, which is ours from here on. `*own` is the slot. Errors,
// explained: MPI_ERR_NO_MEM, or MPI_ERR_OTHER (the file is no arena, or the slot is taken).
[[nodiscard]] Error join_meeting(int descriptor, std::uint32_t index, Slot* own);
// Leaves such an arena, in which this process has the slot.
void leave_meeting(Slot own);

}  // namespace baton::transport
