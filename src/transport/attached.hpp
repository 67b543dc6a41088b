// Memory of other ranks that is mapped here by XPMEM, so that it is copied without a system call:
// region by region as messages need it, or for as long as a window has it. Used by single copies.
// Invariant: a region stays mapped while anyone may copy in it.
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

// The same, which stays until it is let go: whoever keeps the address.
char* keep_attached(LocalRank owner, const void* address, std::size_t bytes);
void let_go_attached(char* here);

// Before the arena is detached.
void detach_regions();

}  // namespace baton::transport
