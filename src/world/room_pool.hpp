// Memory for the rooms that this rank leads: whole pages of a part of its slice, which are taken,
// reserved and given back. What all ranks of the job have taken together is bounded
// (lockfree/room_size.hpp). Called by world/room.cpp, under its lock but for RoomAccount and
// release_pages. Invariant: a piece has memory from take_pages to release_pages, and addresses to
// forget_pages.
#pragma once

#include <cstdint>

#include "lockfree/job.hpp"

namespace baton::world {

// Why there is no room, or none with blocks. `off`: BATON_ROOMS=0.
enum class RoomLack : std::uint8_t { nothing, off, no_memory, pool_in_use };

// Of the job; each by one atomic operation.
struct RoomAccount {
  // False, and nothing is taken, where there would be more than `limit`.
  [[nodiscard]] static bool take(std::uint64_t bytes, std::uint64_t limit);
  static void give(std::uint64_t bytes);
  // The same of what is kept for the next rooms.
  [[nodiscard]] static bool keep(std::uint64_t bytes);
  static void use_kept(std::uint64_t bytes);
  static void count_room(bool opened);
  static std::uint64_t rooms();
};

// Where so many bytes, in whole pages, lie among this rank's rooms; negative: why not.
std::int64_t take_pages(std::uint64_t bytes, bool for_blocks);
// Gives memory back to the system, of any rank's rooms: `bytes` are whole pages.
void release_pages(std::uint32_t leader, std::int64_t offset, std::uint64_t bytes);
// The addresses of a piece that take_pages has given are free again.
void forget_pages(std::int64_t offset);

// A lack as a negative offset.
inline std::int64_t refusal(RoomLack lack) {
  return -static_cast<std::int64_t>(lack);
}
inline RoomLack lack_of(std::int64_t offset) {
  return offset < 0 ? static_cast<RoomLack>(-offset) : RoomLack::nothing;
}

}  // namespace baton::world
