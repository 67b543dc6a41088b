// Rooms: where the ranks of a communicator meet for short collectives. Made in the slice of its
// rank 0 by the first collective that could use one, given back when all have left. A communicator
// has one, and each persistent collective, since those are started in any order. Where there is
// none, collectives go by point-to-point.
#pragma once

#include <cstdint>

#include "lockfree/room.hpp"
#include "platform/lock.hpp"

namespace baton::world {

class Communicator;

// A room has lines and, once a collective wants them, blocks.
enum class RoomPart : std::uint8_t { lines, blocks };
enum class RoomState : std::uint8_t { unknown, settling, open, none };

// What this rank has of a room.
struct RoomView {
  RoomState lines = RoomState::unknown;
  RoomState blocks = RoomState::unknown;
  std::int64_t offset = -1;  // of its lines, among the rooms of rank 0
  lockfree::Room<lockfree::Hardware> room;
  platform::Lock lock;  // of all this

  RoomState& state(RoomPart part) { return part == RoomPart::lines ? lines : blocks; }
};

// Rank 0's part: where it lies among this rank's rooms, cleared; -1 when there is no memory, or the
// program wants none.
std::int64_t open_room(const Communicator& communicator, const RoomView& view, RoomPart part);

// Everybody's: what rank 0 has said.
void enter_room(const Communicator& communicator, RoomView& view, RoomPart part,
                std::int64_t offset);

// This rank will not come back.
void leave_room(RoomView& view);

}  // namespace baton::world
