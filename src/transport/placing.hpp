// Memory of this process on the NUMA nodes that a policy names (base/numa_policy.hpp): which nodes
// these are, the launcher has written into our MemoryRow. Called for blocks of the heap, before
// they have pages, and before a slice that is bound strictly grows. Invariant: nothing here runs in
// a job that asked for no policy.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"
#include "base/numa_policy.hpp"

namespace baton::transport {

// Whole pages that have no memory yet: of the job's file at an offset, or private ones.
struct Unplaced {
  char* address;
  std::uint64_t bytes;
  int descriptor = -1;       // -1: private
  std::uint64_t offset = 0;  // in the file
};

// The policy of blocks that do not ask for one themselves; null when there is none.
const NumaPolicy* heap_policy();

// Binds the memory and reserves it (private memory only if the policy is strict). What cannot be
// had falls back, as the policy has it, and says so once a job; the error names a strict policy
// that has no room, or a node that is not there. `*reserved` is false when there is an error,
// and when there is no memory at all. Any thread.
Error place_and_reserve(const Unplaced& memory, const NumaPolicy& policy, bool* reserved);

// So that the next block there goes where the kernel puts it.
void forget_policy(char* address, std::uint64_t bytes);

// Whether the slice of a rank, whose policy is strict, can have so much more there. The error says
// which node is full.
BATON_COLD Error check_slice_room(LocalRank owner, std::uint64_t bytes);

// So much of blocks came elsewhere than to the nodes their policy means. In jobs that report only.
struct Shortage {
  int node = -1;                 // the first that was meant, when that was first seen; -1: never
  std::uint64_t free_bytes = 0;  // what it had left then
  std::uint64_t bytes = 0;       // that came elsewhere so far
};
Shortage shortage();

}  // namespace baton::transport
