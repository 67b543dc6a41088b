// Rooms: where the ranks of a communicator meet for short collectives. Made in the slice of its
// rank 0, the room's leader, by the first collective that could use one. A communicator has one,
// and each persistent collective, since those are started in any order. Whoever leaves last gives
// the memory back, or keeps it for the leader's next room. Where there is none, collectives go by
// point-to-point.
#pragma once

#include <cstdint>

#include "base/identity.hpp"
#include "lockfree/room.hpp"
#include "message/core/context.hpp"
#include "platform/lock.hpp"

namespace baton::world {

struct LedRoom;

// Why there is no room, or none with blocks. `off`: BATON_ROOMS=0.
enum class RoomLack : std::uint8_t { nothing, off, no_memory, pool_in_use };

// A room has lines and, once a collective wants them, blocks.
enum class RoomPart : std::uint8_t { lines, blocks };
enum class RoomState : std::uint8_t { unknown, settling, open, none };

// What this rank has of a room.
struct RoomView {
  RoomState lines = RoomState::unknown;
  RoomState blocks = RoomState::unknown;
  RoomLack lack = RoomLack::nothing;  // of what is `none`
  LocalRank leader{};
  std::int64_t lines_offset = -1;  // among the leader's rooms
  std::int64_t blocks_offset = -1;
  LedRoom* led = nullptr;  // of the leader
  lockfree::Room<lockfree::Hardware> room;
  platform::Lock lock;  // of all this

  RoomState& state(RoomPart part) { return part == RoomPart::lines ? lines : blocks; }
};

// Where the parts of a room lie; negative: why there is none. A room that has been used before has
// blocks from the beginning.
struct RoomOffer {
  std::int64_t lines = 0;
  std::int64_t blocks = 0;
};
inline constexpr std::int64_t no_blocks_yet = INT64_MIN;

// A room is for the ranks of a context of one group. The leader's part: memory for lines, cleared,
// or for blocks.
RoomOffer open_room(const message::Context& context, RoomView& view, RoomPart part);

// Everybody's: what the leader has said.
void enter_room(const message::Context& context, RoomView& view, RoomPart part, RoomOffer offer);

// This rank will not come back.
void leave_room(RoomView& view);

}  // namespace baton::world
