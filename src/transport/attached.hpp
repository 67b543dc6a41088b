// This is memory of other ranks that is mapped here by XPMEM, so that it is copied without a system
// call: region by region as messages need it, or for as long as a window has it. It is used by
// single copies.
// Invariant: a region stays mapped while anyone may copy in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platform/lock.hpp"
#include "transport/arena.hpp"

namespace baton::transport {

// Lets the processes of an arena map our memory, where the machine has XPMEM. It is called once for
// each, at attachment.
void offer_attaching(Arena& arena);
// Returns whether memory of that process can be mapped; a region may still be refused.
bool can_attach(Slot owner);
// Unmaps all regions, before the arena is detached.
void detach_regions(Arena& arena);

class AttachedMemory {
 public:
  // Returns where [address, address + bytes) of that process lies in this one; null when it cannot
  // be mapped.
  char* reach(Slot owner, const void* address, std::size_t bytes);
  // Maps as `reach` does, but until the caller lets the memory go: for callers that keep the
  // address.
  char* keep(Slot owner, const void* address, std::size_t bytes);
  void let_go(char* here);

 private:
  platform::Lock lock_;  // protects the regions of all arenas, and what follows
  std::uint64_t uses_ = 0;
};

extern AttachedMemory attached_memory;

}  // namespace baton::transport
