#include "world/room.hpp"

#include <cstdlib>
#include <cstring>

#include "base/settings.hpp"
#include "transport/arena.hpp"
#include "world/communicator.hpp"

namespace baton::world {

namespace {

using transport::arena;

// Rooms that this process leads, those that everyone has left included; a linked list in private
// memory.
struct LedRoom {
  std::int64_t lines;
  std::int64_t blocks;  // -1: none yet
  std::uint32_t ranks;
  LedRoom* next;
};
LedRoom* led_rooms = nullptr;
platform::Lock led_rooms_lock;
std::int64_t next_offset = 0;

char* room_memory(std::uint32_t leader, std::int64_t offset) {
  return arena.part(leader, arena.layout.rooms + static_cast<std::uint64_t>(offset));
}

// Memory among this rank's rooms; -1 without.
std::int64_t take_memory(std::uint64_t bytes) {
  if (static_cast<std::uint64_t>(next_offset) + bytes > lockfree::room_bytes_per_rank) return -1;
  std::uint64_t start = arena.layout.rooms + static_cast<std::uint64_t>(next_offset);
  if (transport::reserve(arena.rank, start, bytes) != MPI_SUCCESS) return -1;
  std::int64_t offset = next_offset;
  next_offset += static_cast<std::int64_t>(bytes);
  return offset;
}

bool all_left(const LedRoom& led) {
  lockfree::Room<lockfree::Hardware> room;
  room.attach(room_memory(arena.rank, led.lines), led.ranks);
  return room.all_left();
}

std::int64_t open_lines(std::uint32_t ranks) {
  LedRoom* led = led_rooms;
  while (led && !(led->ranks == ranks && all_left(*led))) led = led->next;
  if (!led) {
    std::int64_t offset = take_memory(lockfree::room_bytes(ranks));
    led = offset < 0 ? nullptr : static_cast<LedRoom*>(std::malloc(sizeof(LedRoom)));
    if (!led) return -1;
    *led = {offset, -1, ranks, led_rooms};
    led_rooms = led;
  }
  std::memset(room_memory(arena.rank, led->lines), 0, lockfree::room_bytes(ranks));
  return led->lines;
}

std::int64_t open_blocks(std::int64_t lines) {
  LedRoom* led = led_rooms;
  while (led->lines != lines) led = led->next;
  if (led->blocks < 0) led->blocks = take_memory(lockfree::room_blocks_bytes(led->ranks));
  return led->blocks;
}

}  // namespace

std::int64_t open_room(const Communicator& communicator, const RoomView& view, RoomPart part) {
  if (!settings.rooms) return -1;
  platform::Guard guard(led_rooms_lock);
  return part == RoomPart::lines ? open_lines(static_cast<std::uint32_t>(communicator.size()))
                                 : open_blocks(view.offset);
}

void enter_room(const Communicator& communicator, RoomView& view, RoomPart part,
                std::int64_t offset) {
  view.state(part) = offset < 0 ? RoomState::none : RoomState::open;
  if (offset < 0) return;
  char* memory = room_memory(communicator.collective.job_rank(0), offset);
  if (part == RoomPart::blocks) return view.room.attach_blocks(memory);
  view.room.attach(memory, static_cast<std::uint32_t>(communicator.size()));
  view.offset = offset;
}

void leave_room(RoomView& view) {
  if (view.lines == RoomState::open) view.room.leave();
}

}  // namespace baton::world
