#include "world/room.hpp"

#include <cstdlib>
#include <cstring>

#include "base/settings.hpp"
#include "transport/arena.hpp"
#include "world/agree/agree.hpp"

namespace baton::world {

namespace {

using transport::arena;

// Rooms that this process leads, retired ones included; a linked list in private memory.
struct LedRoom {
  std::int64_t offset;
  std::uint32_t ranks;
  LedRoom* next;
};
LedRoom* led_rooms = nullptr;
platform::Lock led_rooms_lock;
std::int64_t next_offset = 0;

char* room_memory(std::uint32_t leader, std::int64_t offset) {
  return arena.part(leader, arena.layout.rooms + static_cast<std::uint64_t>(offset));
}

// A room that everyone has left, of the same size.
std::int64_t find_abandoned(std::uint32_t ranks) {
  for (LedRoom* led = led_rooms; led; led = led->next) {
    lockfree::Room<lockfree::Hardware> room(room_memory(arena.rank, led->offset), led->ranks);
    if (led->ranks == ranks && room.all_left()) return led->offset;
  }
  return -1;
}

// The leader's part: memory for a room, cleared; -1 when there is none left.
std::int64_t open_room(std::uint32_t ranks) {
  platform::Guard guard(led_rooms_lock);
  std::uint64_t bytes = lockfree::room_bytes(ranks);
  std::int64_t offset = find_abandoned(ranks);
  if (offset < 0) {
    if (next_offset + static_cast<std::int64_t>(bytes) >
        static_cast<std::int64_t>(lockfree::room_bytes_per_rank))
      return -1;
    auto* led = static_cast<LedRoom*>(std::malloc(sizeof(LedRoom)));
    std::uint64_t start = arena.layout.rooms + static_cast<std::uint64_t>(next_offset);
    if (!led || transport::reserve(arena.rank, start, bytes) != MPI_SUCCESS) {
      std::free(led);
      return -1;
    }
    offset = next_offset;
    next_offset += static_cast<std::int64_t>(bytes);
    *led = {offset, ranks, led_rooms};
    led_rooms = led;
  }
  std::memset(room_memory(arena.rank, offset), 0, bytes);
  return offset;
}

}  // namespace

Error settle_room_slow(Communicator& communicator) {
  auto ranks = static_cast<std::uint32_t>(communicator.size());
  std::int64_t offset = -1;
  if (settings.rooms && ranks > 1 && !communicator.is_inter()) {
    if (communicator.rank() == 0) offset = open_room(ranks);
    Error error =
        agree_broadcast(all_of(communicator.collective, agreement_tag), 0, &offset, sizeof offset);
    if (error) return error;
  }
  communicator.room_state = offset < 0 ? RoomState::none : RoomState::open;
  communicator.room_offset = offset;
  if (offset < 0) return MPI_SUCCESS;
  std::uint32_t leader = communicator.collective.job_rank(0);
  communicator.room = lockfree::Room<lockfree::Hardware>(room_memory(leader, offset), ranks);
  return MPI_SUCCESS;
}

void leave_room(Communicator& communicator) {
  if (communicator.room.exists()) communicator.room.leave();
}

}  // namespace baton::world
