// Settles whether collectives can meet in their room: rank 0 makes the room, if there is memory,
// and tells the others within the first collective that wants one, so that nothing else waits.
// Collectives that begin meanwhile wait for the same answer.
#pragma once

#include "collective/algorithm.hpp"
#include "world/room.hpp"

namespace baton::collective {

// Returns when the state of the run's room is open or none.
Task settle_room(Run& run, world::RoomPart part);

}  // namespace baton::collective
