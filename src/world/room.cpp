#include "world/room.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/check.hpp"
#include "base/settings.hpp"
#include "message/core/engine.hpp"
#include "transport/node_memory.hpp"
#include "world/room_account.hpp"

namespace baton::world {

using lockfree::RoomMemory;
using transport::forget_pages;
using transport::map_pages;
using transport::own_rank;
using transport::release_pages;

// This is a room that this process leads, or whose memory is kept for the next one.
struct LedRoom {
  std::int64_t lines;
  std::int64_t blocks;  // negative: none
  std::uint32_t ranks;
  bool left;           // this rank has left it
  LocalRank* members;  // by rank, in a job that goes on when ranks die; else null
  LedRoom* next;

  // Returns whether all have left it but those that have died in it: these never leave.
  bool is_left(const lockfree::Room<lockfree::Hardware>& room) const {
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      if (!room.has_told_left(rank) && !transport::has_died(members[rank])) return false;
    return true;
  }
};

namespace {

std::uint64_t pages_of_lines(std::uint32_t ranks) {
  return round_up(lockfree::room_bytes(ranks), page_bytes);
}
std::uint64_t pages_of_blocks(std::uint32_t ranks) {
  return round_up(lockfree::room_blocks_bytes(ranks), page_bytes);
}
std::uint64_t pages_of(std::uint32_t ranks, bool blocks) {
  return pages_of_lines(ranks) + (blocks ? pages_of_blocks(ranks) : 0);
}

// The offset of a missing part says, as a negative number, why it is missing.
std::int64_t refusal(RoomLack lack) {
  return -static_cast<std::int64_t>(lack);
}
RoomLack lack_of(std::int64_t offset) {
  return offset < 0 ? static_cast<RoomLack>(-offset) : RoomLack::nothing;
}

// This says what has become of a led room's memory; left: in a job that goes on when ranks die.
enum class LedMemory : std::uint8_t { in_use, kept, given_back, left };

LedMemory memory_of(const LedRoom& led) {
  if (!led.left) return LedMemory::in_use;
  lockfree::Room<lockfree::Hardware> room;
  room.attach(map_pages(own_rank(), led.lines), led.ranks);
  const RoomMemory memory = room.memory();
  if (memory == RoomMemory::kept) return LedMemory::kept;
  if (memory == RoomMemory::given_back) return LedMemory::given_back;
  return led.members && led.is_left(room) ? LedMemory::left : LedMemory::in_use;
}

void forget(LedRoom** link) {
  LedRoom* led = *link;
  *link = led->next;
  forget_pages(led->lines);
  if (led->blocks >= 0) forget_pages(led->blocks);
  std::free(led->members);
  std::free(led);
}

// Notes who is in a room, so that its memory comes back if some of them die. Without memory for
// that it does not.
void note_members(LedRoom& led, const message::Context& context) {
  std::free(led.members);
  led.members = nullptr;
  if (!transport::job().continues) return;
  led.members = static_cast<LocalRank*>(std::malloc(led.ranks * sizeof(LocalRank)));
  for (std::uint32_t rank = 0; led.members && rank < led.ranks; ++rank)
    led.members[rank] = transport::local_rank_of(context.process(static_cast<int>(rank)));
}

// The rooms that this process leads.
class LedRooms {
 public:
  RoomOffsets open(const message::Context& context, RoomView& view, RoomPart part) {
    platform::Guard guard(lock_);
    return part == RoomPart::lines ? open_lines(view, context) : open_blocks(*view.led);
  }

  void leave(LedRoom& led) {
    platform::Guard guard(lock_);
    // Nobody else gives back what these hold.
    if (BATON_UNLIKELY(transport::job().continues)) take_in(false);
    led.left = true;
  }

 private:
  // Looks at the rooms that all ranks have left: takes in what was given back, and gives back what
  // was kept where `kept` says so. Returns true when there was any.
  bool take_in(bool kept) {
    bool any = false;
    for (LedRoom** link = &first_; *link;) {
      LedRoom& led = **link;
      const LedMemory memory = memory_of(led);
      if (memory == LedMemory::in_use || (memory == LedMemory::kept && !kept)) {
        link = &led.next;
        continue;
      }
      if (memory == LedMemory::kept) RoomAccount::use_kept(pages_of(led.ranks, led.blocks >= 0));
      if (memory == LedMemory::left) RoomAccount::count_room(false);
      if (memory != LedMemory::given_back) {
        release_pages(own_rank(), led.lines, pages_of_lines(led.ranks));
        if (led.blocks >= 0) release_pages(own_rank(), led.blocks, pages_of_blocks(led.ranks));
      } else {
        release_pages(own_rank(), led.lines, page_bytes);  // all other pages are gone
      }
      forget(link);
      any = true;
    }
    return any;
  }

  std::int64_t take_memory(std::uint64_t bytes, bool for_blocks) {
    const std::uint32_t ranks = transport::rank_count();
    const std::uint64_t limit =
        for_blocks ? lockfree::room_pool_blocks_bytes(ranks) : lockfree::room_pool_bytes(ranks);
    transport::NodePages pages = transport::take_pages(bytes, limit);
    if (pages.lack == transport::MemoryLack::in_use && take_in(true))
      pages = transport::take_pages(bytes, limit);
    if (pages.lack == transport::MemoryLack::nothing) return pages.offset;
    if (pages.lack == transport::MemoryLack::no_memory) return refusal(RoomLack::no_memory);
    // mpiexec --explain reports this number.
    auto& most = message::engine.collectives.rooms_in_pool;
    most = std::max(most, RoomAccount::rooms());
    return refusal(RoomLack::pool_in_use);
  }

  // Returns a room of that many ranks that nobody uses, with its memory; null: there is none.
  LedRoom* find_unused(std::uint32_t ranks) const {
    for (LedRoom* led = first_; led; led = led->next) {
      if (led->ranks != ranks) continue;
      const LedMemory memory = memory_of(*led);
      if (memory == LedMemory::kept) RoomAccount::use_kept(pages_of(ranks, led->blocks >= 0));
      if (memory == LedMemory::left) RoomAccount::count_room(false);
      if (memory == LedMemory::kept || memory == LedMemory::left) return led;
    }
    return nullptr;
  }

  LedRoom* make_room(std::uint32_t ranks, RoomLack* lack) {
    const std::int64_t offset = take_memory(lockfree::room_bytes(ranks), false);
    *lack = lack_of(offset);
    if (offset < 0) return nullptr;
    auto* led = static_cast<LedRoom*>(std::malloc(sizeof(LedRoom)));
    if (!led) {
      *lack = RoomLack::no_memory;
      release_pages(own_rank(), offset, pages_of_lines(ranks));
      forget_pages(offset);
      return nullptr;
    }
    *led = {offset, no_blocks_yet, ranks, false, nullptr, first_};
    return first_ = led;
  }

  RoomOffsets open_lines(RoomView& view, const message::Context& context) {
    const auto ranks = static_cast<std::uint32_t>(context.size);
    RoomLack lack = RoomLack::nothing;
    LedRoom* led = find_unused(ranks);
    if (led) led->left = false;
    take_in(false);
    if (!led) led = make_room(ranks, &lack);
    if (!led) return {refusal(lack), no_blocks_yet};
    led->left = false;
    note_members(*led, context);
    std::memset(map_pages(own_rank(), led->lines), 0, lockfree::room_bytes(ranks));
    view.led = led;
    RoomAccount::count_room(true);
    return {led->lines, led->blocks};
  }

  RoomOffsets open_blocks(LedRoom& led) {
    const std::int64_t offset = take_memory(lockfree::room_blocks_bytes(led.ranks), true);
    if (offset >= 0) led.blocks = offset;
    return {led.lines, offset};
  }

  LedRoom* first_ = nullptr;
  platform::Lock lock_;  // protects the list, and taking pages
};
constinit LedRooms led_rooms;

// Ends a room that all have left; this rank is the last.
void retire(RoomView& view) {
  const std::uint32_t ranks = view.room.ranks();
  const bool blocks = view.blocks == RoomState::open;
  RoomAccount::count_room(false);
  if (RoomAccount::keep(pages_of(ranks, blocks))) return view.room.tell_memory(RoomMemory::kept);
  // The first page stays, because it has the word that tells the leader so.
  const std::uint64_t lines = pages_of_lines(ranks) - page_bytes;
  if (lines) release_pages(view.leader, view.lines_offset + page_bytes, lines);
  if (blocks) release_pages(view.leader, view.blocks_offset, pages_of_blocks(ranks));
  view.room.tell_memory(RoomMemory::given_back);
}

}  // namespace

RoomOffsets open_room(const message::Context& context, RoomView& view, RoomPart part) {
  if (!settings.rooms) return {refusal(RoomLack::off), no_blocks_yet};
  return led_rooms.open(context, view, part);
}

void enter_room(const message::Context& context, RoomView& view, RoomPart part,
                RoomOffsets offsets) {
  view.leader = transport::local_rank_of(context.process(0));
  // Across nodes no algorithm is chosen that needs a room.
  BATON_INVARIANT(view.leader != not_on_this_node);
  if (part == RoomPart::lines) {
    view.lines = offsets.lines < 0 ? RoomState::none : RoomState::open;
    if (offsets.lines < 0) view.lack = lack_of(offsets.lines);
    if (offsets.lines < 0) return;
    view.lines_offset = offsets.lines;
    view.rank = static_cast<std::uint32_t>(context.rank);
    view.room.attach(map_pages(view.leader, offsets.lines),
                     static_cast<std::uint32_t>(context.size));
    if (offsets.blocks == no_blocks_yet) return;
  }
  view.blocks = offsets.blocks < 0 ? RoomState::none : RoomState::open;
  if (offsets.blocks < 0) view.lack = lack_of(offsets.blocks);
  if (offsets.blocks < 0) return;
  view.blocks_offset = offsets.blocks;
  view.room.attach_blocks(map_pages(view.leader, offsets.blocks));
}

void leave_room(RoomView& view) {
  if (view.lines != RoomState::open) return;
  if (view.led) led_rooms.leave(*view.led);
  // Where ranks may die no number says who is the last: the leader looks. Once it has seen this,
  // the memory may be another room's.
  if (BATON_UNLIKELY(transport::job().continues)) return view.room.tell_left(view.rank);
  if (view.room.leave()) retire(view);
}

}  // namespace baton::world
