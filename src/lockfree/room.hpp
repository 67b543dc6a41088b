// A room: where the ranks of a communicator meet for short collectives. Each operation has a
// ticket, the same everywhere; ticket t uses bank t % banks, in which each rank has one line, flag
// and payload together. What does not fit there lies in blocks, which have fewer banks, or in parts
// of them. Who opens a bank again first makes sure that everyone has finished what was there
// before: ranks say now and then how far they are, in a line of their own and beside every flag.
// Of two ranks, each writes next where it has read last: their places swap each time that a bank,
// or a part of a block, is used again (docs/decisions/rooms.md). Invariant: a line (and its block)
// has one writer in an operation; it is written again only when all ranks have finished the
// operation that it was written for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/room_tickets.hpp"

namespace baton::lockfree {

// What a published line tells of itself besides, for those who want to be sure that they and its
// writer mean the same call. A payload in the line itself is its length and 1.
namespace room_note {
inline constexpr std::uint64_t nothing = 0;
inline constexpr std::uint64_t copies = 254;  // the payload begins with the length of what a rank
                                              // copies from the writer's memory
inline constexpr std::uint64_t block = 255;   // with the length of what lies in the block
constexpr std::uint64_t line(std::int64_t bytes) {
  return static_cast<std::uint64_t>(bytes) + 1;
}
static_assert(line(room_line_payload_bytes) < copies);
}  // namespace room_note

template <class Atomics>
struct alignas(cache_line_bytes) RoomLine {  // written by its writer in an operation
  // The ticket; in bits 8 to 15 what the line tells of itself (room_note); in the lowest 8 bits how
  // far behind the ticket the finished ones are of its writer, and of those that it speaks for.
  typename Atomics::template Atomic<std::uint64_t> word;
  char payload[room_line_payload_bytes];
};
static_assert(sizeof(RoomLine<Hardware>) == cache_line_bytes);

template <class Atomics>
struct alignas(cache_line_bytes) FinishedLine {             // written by its rank
  typename Atomics::template Atomic<std::uint64_t> ticket;  // all up to here are finished
};
static_assert(sizeof(FinishedLine<Hardware>) == cache_line_bytes);

// What has become of a room's memory once all have left it.
enum class RoomMemory : std::uint32_t { in_use, kept, given_back };

// The first line of a room: how many ranks have left it for good, how many wait for others to
// finish, and what the last that left has done with the memory behind this line's page. Seldom
// written.
template <class Atomics>
struct alignas(cache_line_bytes) RoomHead {
  typename Atomics::template Atomic<std::uint32_t> left;
  typename Atomics::template Atomic<std::uint32_t> waiting;
  typename Atomics::template Atomic<std::uint32_t> memory;
};
static_assert(sizeof(RoomHead<Hardware>) == cache_line_bytes);

template <class Sizes = RoomSizes>
constexpr std::uint64_t room_bytes(std::uint32_t ranks) {
  return (1 + (1 + room_banks<Sizes>(ranks)) * std::uint64_t{ranks}) * cache_line_bytes;
}

// One rank's view of a room; private memory.
template <class Atomics, class Sizes = RoomSizes>
class Room : public RoomTickets<Sizes> {
 public:
  static_assert(Sizes::banks <= 64);  // see finished_ahead_, and RoomLine
  using RoomTickets<Sizes>::part_bytes;

  // The lines, cleared; and the blocks, any time later. It has been prepared for as many.
  void attach(char* memory, std::uint32_t ranks) {
    head_ = reinterpret_cast<RoomHead<Atomics>*>(memory);
    finished_lines_ = reinterpret_cast<FinishedLine<Atomics>*>(head_ + 1);
    lines_ = reinterpret_cast<RoomLine<Atomics>*>(finished_lines_ + ranks);
    ranks_ = ranks;
    last_bank_ = static_cast<std::uint32_t>(this->banks() - 1);
    swaps_ = ranks == 2;
  }
  void attach_blocks(char* memory) { blocks_ = memory; }
  std::uint32_t ranks() const { return ranks_; }

  // Whether lines and blocks of this operation may be written.
  bool may_write(std::uint32_t rank, const Meeting& meeting) {
    if (BATON_LIKELY(meeting.must_be_finished <= all_finished_)) return true;
    std::uint64_t least = finished_;
    for (std::uint32_t other = 0; other < ranks_; ++other)
      // ORDER room.finished: acquire here, release in finish; their reads are over.
      if (other != rank)
        least = std::min(least, finished_lines_[other].ticket.load(std::memory_order_acquire));
    all_finished_ = std::max(all_finished_, least);
    return meeting.must_be_finished <= all_finished_;
  }

  // Whether a rank has finished what may_write waits for; a look, for people.
  bool has_finished(std::uint32_t rank, const Meeting& meeting) const {
    // relaxed: nothing is written because of it.
    return finished_lines_[rank].ticket.load(std::memory_order_relaxed) >= meeting.must_be_finished;
  }

  // May_write has said no, and will be asked again; then it has said yes.
  void begin_waiting() {
    // relaxed: a sleeper orders it (membarrier or fence) before it looks for the last time.
    head_->waiting.fetch_add(1, std::memory_order_relaxed);
  }
  void end_waiting() {
    // relaxed: who still sees it does needless work, nothing worse.
    head_->waiting.fetch_add(~std::uint32_t{0}, std::memory_order_relaxed);
  }
  // After `finish` and, where fences are needed, a fence: whether anybody must be woken.
  bool anybody_waits() const {
    // relaxed: as in begin_waiting.
    return head_->waiting.load(std::memory_order_relaxed) != 0;
  }

  // Publishes a place whose payload is there; may_write has said yes.
  void publish(std::uint32_t place, const Meeting& meeting,
               std::uint64_t note = room_note::nothing) {
    publish_for_others(place, meeting, finished_, note);
  }
  // The same, and tells how long the payload is.
  void publish_bytes(std::uint32_t place, const Meeting& meeting, std::int64_t bytes) {
    if (!meeting.has_blocks()) return publish(place, meeting, room_note::line(bytes));
    std::memcpy(line(place, meeting).payload, &bytes, sizeof bytes);
    publish(place, meeting, room_note::block);
  }
  // The same where the place speaks for others, too: all of them have finished what is up to
  // `finished`, as they have told us in the meeting before (finished_at).
  void publish_for_others(std::uint32_t place, const Meeting& meeting, std::uint64_t finished,
                          std::uint64_t note = room_note::nothing) {
    // ORDER room.publish: release here, acquire in has_arrived; the payload is visible.
    line(place, meeting)
        .word.store(meeting.ticket << 16 | note << 8 | (meeting.ticket - finished),
                    std::memory_order_release);
  }
  // Whether a place has been published.
  bool has_arrived(std::uint32_t place, const Meeting& meeting) const {
    // ORDER room.publish: acquire here, release in publish.
    return line(place, meeting).word.load(std::memory_order_acquire) >> 16 == meeting.ticket;
  }
  // Of a place that has arrived: its note, and the length that goes with it; -1: not told.
  std::uint64_t note_at(std::uint32_t place, const Meeting& meeting) const {
    // relaxed: has_arrived has acquired this very word.
    return line(place, meeting).word.load(std::memory_order_relaxed) >> 8 & 0xff;
  }
  std::int64_t bytes_at(std::uint32_t place, const Meeting& meeting) const {
    const std::uint64_t note = note_at(place, meeting);
    if (note < room_note::copies) return static_cast<std::int64_t>(note) - 1;
    std::int64_t bytes;
    std::memcpy(&bytes, line(place, meeting).payload, sizeof bytes);
    return bytes;
  }
  // The first place in [from, to) that has not; `to` when all have.
  std::uint32_t first_missing(std::uint32_t from, std::uint32_t to, const Meeting& meeting) const {
    while (from < to && has_arrived(from, meeting)) ++from;
    return from;
  }
  // Of a place that has arrived: those it speaks for have finished what is up to here.
  std::uint64_t finished_at(std::uint32_t place, const Meeting& meeting) const {
    // relaxed: has_arrived has acquired this very word; what is finished is over.
    return meeting.ticket - (line(place, meeting).word.load(std::memory_order_relaxed) & 0xff);
  }
  // Everyone has, as places that speak for all have said.
  void learn(std::uint64_t finished) { all_finished_ = std::max(all_finished_, finished); }
  // All have arrived: what their words say about how far they are.
  void learn(const Meeting& meeting) {
    if (BATON_LIKELY(all_finished_ + this->banks() / 2 > meeting.ticket)) return;
    std::uint64_t least = meeting.ticket;
    for (std::uint32_t place = 0; place < ranks_; ++place)
      least = std::min(least, finished_at(place, meeting));
    learn(least);
  }

  // Where the payload of a place lies, or goes to.
  char* place(std::uint32_t place, const Meeting& meeting) const {
    if (!meeting.has_blocks()) return line(place, meeting).payload;
    const std::uint64_t parts_before =
        std::uint64_t{meeting.part} * ranks_ +
        std::uint64_t{meeting.parts} * (place ^ (meeting.turn & swaps_));
    return blocks_ + parts_before * part_bytes();
  }

  // Of an operation that did not take place in the room after all: whether finish may be called.
  bool may_finish(const Meeting& meeting) const {
    return meeting.ticket <= finished_ + this->banks();
  }
  // This rank needs nothing of the operation any more. True when others were told so: one of them
  // may wait for that.
  bool finish(std::uint32_t rank, const Meeting& meeting) {
    finished_ahead_ |= std::uint64_t{1} << (meeting.ticket - finished_ - 1);
    for (; finished_ahead_ & 1; finished_ahead_ >>= 1) ++finished_;
    if (meeting.has_blocks()) last_block_ = std::max(last_block_, meeting.ticket);
    bool many = finished_ - published_ >= this->banks() / 2;
    bool frees_block = finished_ > published_ && last_block_ > published_;
    if (!many && !frees_block) return false;
    published_ = finished_;
    // ORDER room.finished: release here, acquire in may_write; our reads are over.
    finished_lines_[rank].ticket.store(finished_, std::memory_order_release);
    return true;
  }

  // We will not come back. True for the last that leaves: nobody reads or writes the room any more,
  // and its memory is this rank's to give back. Then it says so.
  [[nodiscard]] bool leave() {
    // ORDER room.left: release by each, acquire by the last; all reads are over.
    return head_->left.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks_;
  }
  void tell_memory(RoomMemory memory) {
    // ORDER room.memory: release here, acquire in memory; it is the leader's now.
    head_->memory.store(static_cast<std::uint32_t>(memory), std::memory_order_release);
  }
  // For the room's leader, which may use it again.
  RoomMemory memory() const {
    // ORDER room.memory: acquire here, release in tell_memory.
    return static_cast<RoomMemory>(head_->memory.load(std::memory_order_acquire));
  }

 private:
  RoomLine<Atomics>& line(std::uint32_t place, const Meeting& meeting) const {
    const auto turn = static_cast<std::uint32_t>(meeting.ticket / Sizes::banks);  // of two ranks
    return lines_[(meeting.ticket & last_bank_) * ranks_ + (place ^ (turn & swaps_))];
  }

  RoomHead<Atomics>* head_ = nullptr;
  FinishedLine<Atomics>* finished_lines_ = nullptr;
  RoomLine<Atomics>* lines_ = nullptr;
  char* blocks_ = nullptr;
  std::uint32_t ranks_ = 0;
  std::uint32_t last_bank_ = 0;       // a mask: their number is a power of two
  std::uint32_t swaps_ = 0;           // 1 of two ranks, whose places swap
  std::uint64_t finished_ = 0;        // by us: all up to here
  std::uint64_t finished_ahead_ = 0;  // and of those behind it, one bit each
  std::uint64_t published_ = 0;
  std::uint64_t last_block_ = 0;  // finished last; of blocks there are few: others are told at once
  std::uint64_t all_finished_ = 0;  // by everyone, as far as we know
};

}  // namespace baton::lockfree
