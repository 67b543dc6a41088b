// The record of time knows communicators by these entries, also while messages of freed ones are
// under way: they have the ranks, and the communicator's row in the record. timing.cpp and
// open_messages.cpp use them. Invariant: an entry stays until its communicator is freed and the
// last use has been released.
#pragma once

#include <cstdint>

#include "world/communicator.hpp"

namespace baton::tool {

// Stands for the rank of a process of another job. What is moved to and from it counts for the call,
// but for no pair of ranks.
inline constexpr std::int32_t rank_of_another_job = -2;

struct KnownCommunicator {
  MPI_Comm handle = MPI_COMM_NULL;
  std::uint32_t id = 0;
  std::uint32_t size = 0;               // number of ranks that can be addressed
  std::int32_t* world_ranks = nullptr;  // their ranks in MPI_COMM_WORLD; null: equal numbers
  std::int32_t row = -1;                // in the record; -1: none yet, -2: no space
  std::int32_t uses = 1;                // by calls, by open messages, and by the program's handle
  KnownCommunicator* next = nullptr;    // next entry of the hash bin

  // Returns the world rank of a rank, or rank_of_another_job; -1 for MPI_ANY_SOURCE, MPI_PROC_NULL and ranks out of range.
  std::int32_t world_rank(int rank) const {
    if (rank < 0 || static_cast<std::uint32_t>(rank) >= size) return -1;
    return world_ranks ? world_ranks[rank] : rank;
  }
};

// Returns the entry with one use more, which the caller releases. Null for invalid handles, and
// without memory.
KnownCommunicator* know(MPI_Comm handle);
// Notes that the program has freed the communicator.
void forget(MPI_Comm handle);
// These add a use, and remove one.
void retain(KnownCommunicator& communicator);
void release(KnownCommunicator& communicator);

}  // namespace baton::tool
