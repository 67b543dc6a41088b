// Reserves memory for the parts of a process in an arena's file: its slice, and its mailbox. It is
// called before a part is touched, by the owner or by a rank that writes there. Invariant: where
// the owner's policy is strict, a part gets memory on the nodes that it names, or none.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "transport/arena.hpp"

namespace baton::transport {

// Makes sure that [offset, offset + bytes) of a slot's slice has memory. Explains a failure.
Error reserve(Slot owner, std::uint64_t offset, std::uint64_t bytes);

// Reserves a part of the file, from `start` on, that lies on the node where the owner's queues do.
Error reserve_in_file(Slot owner, std::uint64_t start, std::uint64_t bytes);

}  // namespace baton::transport
