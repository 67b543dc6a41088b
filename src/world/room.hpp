// Rooms of communicators: made in the slice of rank 0 at the first collective that could use one,
// given back when all have left. Where there is no room, collectives go by point-to-point.
#pragma once

#include "world/communicator.hpp"

namespace baton::world {

// A room has lines and, once a collective wants them, blocks.
enum class RoomPart : std::uint8_t { lines, blocks };

// Rank 0's part: where it lies among this rank's rooms, cleared; -1 when there is no memory, or the
// program wants none.
std::int64_t open_room(const Communicator& communicator, RoomPart part);

// Everybody's: what rank 0 has said.
void enter_room(Communicator& communicator, RoomPart part, std::int64_t offset);

// The communicator is freed: this rank will not come back.
void leave_room(Communicator& communicator);

}  // namespace baton::world
