// Memory of other ranks that is mapped here by XPMEM, region by region as messages need it, so that
// they are copied without a system call. Used by single copies. Invariant: a region stays
// mapped while anyone may copy in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/identity.hpp"

namespace baton::transport {

// Lets the job's ranks map our memory, where the machine has XPMEM. Once, at start.
void offer_attaching();
// Whether memory of that rank can be mapped; a region may still be refused.
bool can_attach(LocalRank owner);
// Where [address, address + bytes) of that rank lies in this process; null when it cannot.
char* reach_attached(LocalRank owner, const void* address, std::size_t bytes);

// Before the arena is detached.
void detach_regions();

}  // namespace baton::transport
