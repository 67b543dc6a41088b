// Which algorithm a collective takes: restrictions and reasons in one place. Pure.
#pragma once

#include <cstdint>

#include "datatype/operation.hpp"
#include "lockfree/room.hpp"
#include "world/communicator.hpp"

namespace baton::collective {

// Whether a room carries this much from each rank, and everyone may read it all: the work of
// reading grows with the square of the ranks, so that longer contributions are left to trees.
inline bool fits_room(const Communicator& comm, std::int64_t bytes, const Datatype& type) {
  constexpr std::int64_t read_bytes_max = 16384;  // guess
  if (!comm.room.exists() || !type.contiguous || bytes > lockfree::room_payload_bytes) return false;
  // Two ranks are quicker when each follows the other line by line (0.56 against 0.71 us at 1 KiB,
  // 2 cores of a Sapphire Rapids virtual machine, 2026-11-20).
  bool worth_a_block = comm.size() > 2 && bytes * comm.size() <= read_bytes_max;
  return bytes <= lockfree::room_line_payload_bytes || worth_a_block;
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
