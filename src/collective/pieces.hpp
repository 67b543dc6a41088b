// Longer collectives in a room: its blocks are filled piece by piece. Each piece is a meeting of
// its own; a rank writes some pieces before it reads the first, so that it has much to do each time
// the others have come. Used by the algorithms of that kind, and by select for their tickets.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collective/call.hpp"
#include "collective/in_room.hpp"

namespace baton::collective {

// Who writes piece i needs that all have read piece i - banks, who reads piece i - ahead that all
// have written it: half of the banks lets ranks be furthest apart.
inline constexpr std::uint64_t pieces_ahead = lockfree::RoomSizes::block_banks / 2;

// Of each rank's part in a piece, bytes: what one rank has for another; 0: the ranks are too many.
inline std::int64_t piece_bytes(int ranks) {
  const auto block = static_cast<std::int64_t>(lockfree::RoomSizes::block_bytes);
  return block / ranks / cache_line_bytes * cache_line_bytes;
}
// The same in elements that cannot be divided.
inline std::int64_t elements_in_piece(int ranks, const Datatype& type) {
  return piece_bytes(ranks) / std::max<std::int64_t>(1, type.size);
}

// How many meetings such a call takes, the same on all ranks; 0: it cannot be done so.
std::uint64_t pieces_of(const Call& call);

}  // namespace baton::collective
