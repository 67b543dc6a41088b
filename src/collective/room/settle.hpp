// Whether collectives can meet in their room: rank 0 makes it, if there is memory, and tells the
// others within the first collective that wants one, so that nothing else waits. Those that begin
// meanwhile wait for the same answer.
#pragma once

#include "collective/algorithm.hpp"
#include "world/room.hpp"

namespace baton::collective {

// Returns when the state of the run's room says open or none.
Task settle_room(Run& run, world::RoomPart part);

}  // namespace baton::collective
