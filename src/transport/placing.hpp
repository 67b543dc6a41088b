// Places memory of this process on the NUMA nodes that a policy names (base/numa_policy.hpp); the
// launcher has written the list of these nodes into our MemoryRow. It is called for blocks of the
// heap, before they have pages, and before a slice that is bound strictly grows. Invariant: nothing
// here runs in a job that asked for no policy.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/numa_policy.hpp"
#include "platform/lock.hpp"
#include "transport/arena.hpp"

namespace baton::transport {

// These are whole pages that have no memory yet: of the job's file at an offset, or private pages.
struct Unplaced {
  char* address;
  std::uint64_t bytes;
  int descriptor = -1;       // -1: private
  std::uint64_t offset = 0;  // in the file
};

// Returns the policy of blocks that do not ask for one themselves; null when there is none.
const NumaPolicy* heap_policy();

// Forgets the policy of freed memory, so that the next block there goes where the kernel puts it.
void forget_policy(char* address, std::uint64_t bytes);

// Checks whether the slice of a rank, whose policy is strict, can grow by `bytes`. The error says
// which node is full.
BATON_COLD Error check_slice_space(Slot owner, std::uint64_t bytes);

// Records how much of the blocks came elsewhere than to the nodes that their policy means. It is
// kept only in jobs that report.
struct Shortage {
  int node = -1;                 // the first meant node, when a shortage was first seen; -1: never
  std::uint64_t free_bytes = 0;  // free bytes of that node then
  std::uint64_t bytes = 0;       // bytes that came elsewhere so far
};

class Placing {
 public:
  // Binds the memory and reserves it (private memory only if the policy is strict). If a node has
  // no space, the memory goes where the policy lets it, with a sentence once a job; the error names
  // a strict policy that has no space, or a node that does not exist. `*reserved` is false when
  // there is an error, and when there is no memory at all. Any thread may call it.
  Error reserve(const Unplaced& memory, const NumaPolicy& policy, bool* reserved);

  Shortage shortage;

 private:
  void look_for_shortage(const Unplaced& memory, const NumaPolicy& policy);

  // A turn among ranks belongs to the process, not the thread, so threads take this lock, too:
  // always, because the program's allocator comes here from threads that never call MPI.
  platform::Lock lock_;
};

extern Placing placing;

}  // namespace baton::transport
