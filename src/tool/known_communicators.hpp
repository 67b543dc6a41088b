// Communicators as the record of time needs them, also while messages of freed ones are under way:
// whose ranks they have, and their row in the record. Used by timing.cpp and open_messages.cpp.
// Invariant: an entry stays until its communicator is freed and the last use has been released.
#pragma once

#include <cstdint>

#include "world/communicator.hpp"

namespace baton::tool {

struct KnownCommunicator {
  MPI_Comm handle = MPI_COMM_NULL;
  std::uint32_t id = 0;
  std::uint32_t size = 0;               // of the ranks that can be addressed
  std::int32_t* world_ranks = nullptr;  // of these, in MPI_COMM_WORLD; null: the same numbers
  std::int32_t row = -1;              // among the record's communicators; -1: none yet, -2: no room
  std::int32_t uses = 1;              // by calls, by open messages, and by the program's handle
  KnownCommunicator* next = nullptr;  // in its bin

  // Of a rank of its; -1 for MPI_ANY_SOURCE, MPI_PROC_NULL and what is out of range.
  std::int32_t world_rank(int rank) const {
    if (rank < 0 || static_cast<std::uint32_t>(rank) >= size) return -1;
    return world_ranks ? world_ranks[rank] : rank;
  }
};

// With one use more, which the caller releases. Null for handles that are none, and without memory.
KnownCommunicator* know(MPI_Comm handle);
// The program has freed it.
void forget(MPI_Comm handle);
// One use more, or less.
void retain(KnownCommunicator& communicator);
void release(KnownCommunicator& communicator);

}  // namespace baton::tool
