// Which algorithm a collective takes: restrictions and reasons in one place. Pure.
#pragma once

#include <cstdint>

#include "datatype/operation.hpp"
#include "lockfree/room.hpp"
#include "world/communicator.hpp"

namespace baton::collective {

// Payload that one line of a room carries; the communicator must have a room.
inline bool fits_room(const Communicator& comm, std::int64_t bytes, const Datatype& type) {
  return comm.room.exists() && type.contiguous && bytes <= lockfree::room_payload_bytes;
}

enum class Reduction : std::uint8_t { binomial, in_order };

// Trees regroup and may reorder: only commutative operations go by tree.
inline Reduction select_reduce(const Operation& operation) {
  return operation.commutative ? Reduction::binomial : Reduction::in_order;
}

enum class AllReduction : std::uint8_t { room, recursive_doubling, reduce_broadcast };

// A room combines in rank order, so that every rank gets the same bits, whatever the operation.
// Recursive doubling needs a power of two; it keeps rank order.
inline AllReduction select_allreduce(const Communicator& comm, std::int64_t bytes,
                                     const Datatype& type) {
  if (fits_room(comm, bytes, type)) return AllReduction::room;
  bool power_of_two = (comm.size() & (comm.size() - 1)) == 0;
  constexpr std::int64_t doubling_bytes_max = 65536;  // guess
  return power_of_two && bytes <= doubling_bytes_max ? AllReduction::recursive_doubling
                                                     : AllReduction::reduce_broadcast;
}

}  // namespace baton::collective
