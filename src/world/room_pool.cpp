#include "world/room_pool.hpp"

#include <atomic>
#include <cstdlib>

#include "platform/memory_file.hpp"
#include "transport/arena.hpp"

namespace baton::world {

namespace {

using transport::arena;

// What is taken, by offset; private memory.
struct Piece {
  std::int64_t offset;
  std::int64_t bytes;
  Piece* next;
};
Piece* pieces = nullptr;

lockfree::RoomPoolLine& line() {
  return arena.job->rooms;
}
// relaxed, here and below: sums; what they are of has an order of its own.
bool add(std::uint64_t& sum, std::uint64_t bytes, std::uint64_t limit) {
  std::atomic_ref shared(sum);
  if (shared.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit) return true;
  shared.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}
void subtract(std::uint64_t& sum, std::uint64_t bytes) {
  std::atomic_ref(sum).fetch_sub(bytes, std::memory_order_relaxed);  // relaxed: as above
}

// A piece in the first gap that is long enough; null where there is none, or no memory to note it.
Piece* take_addresses(std::int64_t bytes) {
  const auto end = static_cast<std::int64_t>(lockfree::room_pool_bytes(arena.ranks));
  Piece** link = &pieces;
  std::int64_t offset = 0;
  for (; *link && (*link)->offset - offset < bytes; link = &(*link)->next)
    offset = (*link)->offset + (*link)->bytes;
  if (offset + bytes > end) return nullptr;
  auto* piece = static_cast<Piece*>(std::malloc(sizeof(Piece)));
  if (piece) *piece = {offset, bytes, *link};
  if (piece) *link = piece;
  return piece;
}

}  // namespace

bool RoomAccount::take(std::uint64_t bytes, std::uint64_t limit) {
  return add(line().bytes, bytes, limit);
}
void RoomAccount::give(std::uint64_t bytes) {
  subtract(line().bytes, bytes);
}
bool RoomAccount::keep(std::uint64_t bytes) {
  return add(line().kept_bytes, bytes, lockfree::room_pool_kept_bytes(arena.ranks));
}
void RoomAccount::use_kept(std::uint64_t bytes) {
  subtract(line().kept_bytes, bytes);
}
void RoomAccount::count_room(bool opened) {
  if (opened)
    std::atomic_ref(line().rooms).fetch_add(1, std::memory_order_relaxed);  // relaxed: as above
  else
    subtract(line().rooms, 1);
}
std::uint64_t RoomAccount::rooms() {
  return std::atomic_ref(line().rooms).load(std::memory_order_relaxed);  // relaxed: as above
}

std::int64_t take_pages(std::uint64_t bytes, bool for_blocks) {
  const std::uint64_t limit = for_blocks ? lockfree::room_pool_blocks_bytes(arena.ranks)
                                         : lockfree::room_pool_bytes(arena.ranks);
  bytes = round_up(bytes, page_bytes);
  if (!RoomAccount::take(bytes, limit)) return refusal(RoomLack::pool_in_use);
  Piece* piece = take_addresses(static_cast<std::int64_t>(bytes));
  if (!piece) {
    RoomAccount::give(bytes);
    return refusal(RoomLack::pool_in_use);
  }
  const std::uint64_t start = arena.layout.rooms + static_cast<std::uint64_t>(piece->offset);
  if (transport::reserve(arena.rank, start, bytes) == MPI_SUCCESS) return piece->offset;
  // What it got of it goes back, too.
  release_pages(arena.rank, piece->offset, bytes);
  forget_pages(piece->offset);
  return refusal(RoomLack::no_memory);
}

void release_pages(std::uint32_t leader, std::int64_t offset, std::uint64_t bytes) {
  const std::uint64_t start = lockfree::slice_offset(*arena.job, leader) + arena.layout.rooms +
                              static_cast<std::uint64_t>(offset);
  platform::release_memory(transport::job_file(), start, bytes);
  RoomAccount::give(bytes);
}

void forget_pages(std::int64_t offset) {
  Piece** link = &pieces;
  while ((*link)->offset != offset) link = &(*link)->next;
  Piece* piece = *link;
  *link = piece->next;
  std::free(piece);
}

}  // namespace baton::world
