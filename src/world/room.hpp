// Rooms of communicators: made in the slice of rank 0 at the first collective, given back when all
// have left. Where there is no room, collectives go by point-to-point.
#pragma once

#include "world/communicator.hpp"

namespace baton::world {

// Settles whether the communicator has a room; every rank calls it in the same collective. Once it
// is settled the call costs one branch.
Error settle_room_slow(Communicator& communicator);
inline Error settle_room(Communicator& communicator) {
  if (BATON_LIKELY(communicator.room_state != RoomState::unknown)) return MPI_SUCCESS;
  return settle_room_slow(communicator);
}

// The communicator is freed: this rank will not come back.
void leave_room(Communicator& communicator);

}  // namespace baton::world
