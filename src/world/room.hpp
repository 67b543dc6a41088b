// A room is shared memory in which the ranks of a communicator meet for short collectives. The
// first collective that could use a room makes it in the memory of the communicator's rank 0, the
// room's leader. A communicator has one room, and so has each persistent collective, since those
// are started in any order. The rank that leaves last gives the memory back, or keeps it for the
// leader's next room. Where there is no room, collectives use point-to-point messages.
#pragma once

#include <cstdint>

#include "base/identity.hpp"
#include "lockfree/room.hpp"
#include "message/core/context.hpp"
#include "platform/lock.hpp"

namespace baton::world {

struct LedRoom;

// Says why there is no room, or none with blocks. `off`: BATON_ROOMS=0.
enum class RoomLack : std::uint8_t { nothing, off, no_memory, pool_in_use };

// A room has lines and, once a collective needs them, blocks.
enum class RoomPart : std::uint8_t { lines, blocks };
enum class RoomState : std::uint8_t { unknown, settling, open, none };

// This rank's view of a room.
struct RoomView {
  RoomState lines = RoomState::unknown;
  RoomState blocks = RoomState::unknown;
  RoomLack lack = RoomLack::nothing;  // why a part is `none`
  LocalRank leader{};
  std::uint32_t rank = 0;          // this rank's in the room
  std::int64_t lines_offset = -1;  // among the leader's pages
  std::int64_t blocks_offset = -1;
  LedRoom* led = nullptr;  // at the leader
  lockfree::Room<lockfree::Hardware> room;
  platform::Lock lock;  // protects all of this

  RoomState& state(RoomPart part) { return part == RoomPart::lines ? lines : blocks; }
};

// These are the offsets of the parts of a room; negative: why there is none. A room that has been
// used before has blocks from the beginning.
struct RoomOffsets {
  std::int64_t lines = 0;
  std::int64_t blocks = 0;
};
inline constexpr std::int64_t no_blocks_yet = INT64_MIN;

// Makes the leader's part of a room: cleared memory for lines, or memory for blocks. A room is for
// the ranks of a context of one group.
RoomOffsets open_room(const message::Context& context, RoomView& view, RoomPart part);

// Takes the leader's offsets over, on every rank.
void enter_room(const message::Context& context, RoomView& view, RoomPart part,
                RoomOffsets offsets);

// Leaves the room; this rank will not come back.
void leave_room(RoomView& view);

}  // namespace baton::world
