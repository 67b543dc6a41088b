// A room is shared memory for the short collectives of a communicator. Each round has a sequence
// number, equal on all ranks; round t uses bank t % banks, in which each rank has a slot: one line,
// flag and payload together. Longer payload lies in blocks, which have fewer banks, or in parts of
// them. A rank that opens a bank again first makes sure that all ranks have finished the round that
// used it before: ranks publish now and then which rounds they have finished, in a line of their
// own and beside every flag. In a room of two ranks each writes next where it has read last: their
// slots swap each time that a bank, or a part of a block, is used again
// (docs/decisions/two-rank-rooms.md). Invariant: a line (and its block) has one writer in a round;
// it is written again only when all ranks have finished the round that it was written for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/room_note.hpp"
#include "lockfree/room_sequence.hpp"
#include "platform/lock.hpp"
#include "platform/thread_checker.hpp"

namespace baton::lockfree {

template <class Atomics>
struct alignas(cache_line_bytes) RoomLine {  // written by its writer in a round
  // This has the sequence number; in bits 8 to 15 the line's note (room_note); in the lowest 8 bits
  // how far behind it the finished rounds are of its writer, and of ranks that it speaks for.
  typename Atomics::template Atomic<std::uint64_t> word;
  char payload[room_line_payload_bytes];
};
static_assert(sizeof(RoomLine<Hardware>) == cache_line_bytes);

template <class Atomics>
struct alignas(cache_line_bytes) FinishedLine {               // written by its rank
  typename Atomics::template Atomic<std::uint64_t> sequence;  // all rounds up to here are finished
};
static_assert(sizeof(FinishedLine<Hardware>) == cache_line_bytes);

// This says what has become of a room's memory once all ranks have left it.
enum class RoomMemory : std::uint32_t { in_use, kept, given_back };

// The first line of a room says how many ranks have left it for good, how many wait for others to
// finish, and what the last that left has done with the memory behind this line's page. It is
// seldom written.
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

// This is one rank's view of a room, in private memory.
template <class Atomics, class Sizes = RoomSizes>
class Room : public RoomSequence<Sizes> {
 public:
  static_assert(Sizes::banks <= 64);  // see finished_ahead_, and RoomLine
  using RoomSequence<Sizes>::part_bytes;

  // Attaches the lines, which must be cleared, and the blocks. `ranks` is as in prepare().
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

  // Returns whether lines and blocks of this round may be written.
  bool may_write(std::uint32_t rank, const Round& round) {
    if (BATON_LIKELY(round.must_be_finished <= all_finished_)) return true;
    std::uint64_t least = finished_;
    for (std::uint32_t other = 0; other < ranks_; ++other)
      // ORDER room.finished: acquire here, release in finish; their reads are over.
      if (other != rank)
        least = std::min(least, finished_lines_[other].sequence.load(std::memory_order_acquire));
    all_finished_ = std::max(all_finished_, least);
    return round.must_be_finished <= all_finished_;
  }

  // Returns whether a rank has finished what may_write waits for. It is a hint, for people.
  bool has_finished(std::uint32_t rank, const Round& round) const {
    // relaxed: nothing is written because of it.
    return finished_lines_[rank].sequence.load(std::memory_order_relaxed) >= round.must_be_finished;
  }

  // These enclose a wait: may_write has returned false and will be asked again; later, it has
  // returned true.
  void begin_waiting() {
    // relaxed: a sleeper orders it (membarrier or fence) before it looks for the last time.
    head_->waiting.fetch_add(1, std::memory_order_relaxed);
  }
  void end_waiting() {
    // relaxed: a rank that still sees it does needless work, nothing worse.
    head_->waiting.fetch_add(~std::uint32_t{0}, std::memory_order_relaxed);
  }
  // Returns whether anybody must be woken. Call it after `finish` and, where needed, a fence.
  bool anybody_waits() const {
    // relaxed: as in begin_waiting.
    return head_->waiting.load(std::memory_order_relaxed) != 0;
  }

  // Publishes a slot whose payload is there; may_write has said yes.
  void publish(std::uint32_t slot, const Round& round, std::uint64_t note = room_note::nothing) {
    // Another thread may finish a round just now; what it tells may be less than is finished.
    publish_for_others(slot, round, platform::load_shared(finished_), note);
  }
  // Publishes a slot, and tells how long the payload is.
  void publish_bytes(std::uint32_t slot, const Round& round, std::int64_t bytes) {
    if (!round.has_blocks()) return publish(slot, round, room_note::line(bytes));
    std::memcpy(line(slot, round).payload, &bytes, sizeof bytes);
    publish(slot, round, room_note::block);
  }
  // Publishes a slot that speaks for other ranks, too: all of them have finished all rounds up to
  // `finished`, as they have told us in the round before (finished_at).
  void publish_for_others(std::uint32_t slot, const Round& round, std::uint64_t finished,
                          std::uint64_t note = room_note::nothing) {
    // ORDER room.publish: release here, acquire in has_arrived; the payload is visible.
    line(slot, round)
        .word.store(round.sequence << 16 | note << 8 | (round.sequence - finished),
                    std::memory_order_release);
  }
  // Returns whether a slot has been published.
  bool has_arrived(std::uint32_t slot, const Round& round) const {
    // ORDER room.publish: acquire here, release in publish.
    return line(slot, round).word.load(std::memory_order_acquire) >> 16 == round.sequence;
  }
  // These give a published slot's note, and the length that goes with it; -1: not told.
  std::uint64_t note_at(std::uint32_t slot, const Round& round) const {
    // relaxed: has_arrived has acquired this very word.
    return line(slot, round).word.load(std::memory_order_relaxed) >> 8 & 0xff;
  }
  std::int64_t bytes_at(std::uint32_t slot, const Round& round) const {
    const std::uint64_t note = note_at(slot, round);
    if (note < room_note::copies) return static_cast<std::int64_t>(note) - 1;
    std::int64_t bytes;
    std::memcpy(&bytes, line(slot, round).payload, sizeof bytes);
    return bytes;
  }
  // Returns the first slot in [from, to) that is not published; `to` when all are.
  std::uint32_t first_missing(std::uint32_t from, std::uint32_t to, const Round& round) const {
    while (from < to && has_arrived(from, round)) ++from;
    return from;
  }
  // Returns the round up to which the ranks for which a published slot speaks have finished.
  std::uint64_t finished_at(std::uint32_t slot, const Round& round) const {
    // relaxed: has_arrived has acquired this very word; reads in finished rounds are over.
    return round.sequence - (line(slot, round).word.load(std::memory_order_relaxed) & 0xff);
  }
  // Notes that all ranks have finished up to here, as slots that speak for all have said.
  void learn(std::uint64_t finished) { all_finished_ = std::max(all_finished_, finished); }
  // Notes what the words of all slots of a round, which have arrived, say about finished rounds.
  void learn(const Round& round) {
    if (BATON_LIKELY(all_finished_ + this->banks() / 2 > round.sequence)) return;
    std::uint64_t least = round.sequence;
    for (std::uint32_t slot = 0; slot < ranks_; ++slot)
      least = std::min(least, finished_at(slot, round));
    learn(least);
  }

  // Returns where the payload of a slot lies, or goes to.
  char* payload(std::uint32_t slot, const Round& round) const {
    if (!round.has_blocks()) return line(slot, round).payload;
    const std::uint64_t parts_before = std::uint64_t{round.part} * ranks_ +
                                       std::uint64_t{round.parts} * (slot ^ (round.turn & swaps_));
    return blocks_ + parts_before * part_bytes();
  }

  // Returns whether finish may be called for a round that did not take place after all.
  bool may_finish(const Round& round) const { return round.sequence <= finished_ + this->banks(); }
  // Notes that this rank needs nothing of the round any more. Returns true when others were told
  // so: one of them may wait for that.
  bool finish(std::uint32_t rank, const Round& round) {
    finished_ahead_ |= std::uint64_t{1} << (round.sequence - finished_ - 1);
    std::uint64_t finished = finished_;
    for (; finished_ahead_ & 1; finished_ahead_ >>= 1) ++finished;
    platform::store_shared(finished_, finished);
    if (round.has_blocks()) last_block_ = std::max(last_block_, round.sequence);
    bool many = finished_ - published_ >= this->banks() / 2;
    bool frees_block = finished_ > published_ && last_block_ > published_;
    if (!many && !frees_block) return false;
    published_ = finished_;
    // ORDER room.finished: release here, acquire in may_write; our reads are over.
    finished_lines_[rank].sequence.store(finished_, std::memory_order_release);
    return true;
  }

  // Leaves the room for good. Returns true for the last rank that leaves: nobody reads or writes
  // the room any more, and this rank may give its memory back, and then says so by tell_memory.
  [[nodiscard]] bool leave() {
    platform::sends_to(head_);
    // ORDER room.left: release by each, acquire by the last; all reads are over.
    return head_->left.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks_;
  }
  // Leaves the room for good, instead of `leave`, and tells which rank does: where ranks may die,
  // their number does not say enough. The memory may be another room's from then on.
  void tell_left(std::uint32_t rank) {
    // ORDER room.told_left: release here, acquire in has_told_left; its reads are over.
    finished_lines_[rank].sequence.store(left_for_good, std::memory_order_release);
  }
  bool has_told_left(std::uint32_t rank) const {
    // ORDER room.told_left: acquire here, release in tell_left.
    return finished_lines_[rank].sequence.load(std::memory_order_acquire) == left_for_good;
  }
  void tell_memory(RoomMemory memory) {
    // ORDER room.memory: release here, acquire in memory; it is the leader's now.
    head_->memory.store(static_cast<std::uint32_t>(memory), std::memory_order_release);
  }
  // Returns the state of the memory to the room's leader, which may use it again.
  RoomMemory memory() const {
    // ORDER room.memory: acquire here, release in tell_memory.
    const auto memory = static_cast<RoomMemory>(head_->memory.load(std::memory_order_acquire));
    platform::hears_from(head_);
    return memory;
  }

 private:
  static constexpr std::uint64_t left_for_good = ~std::uint64_t{0};
  RoomLine<Atomics>& line(std::uint32_t slot, const Round& round) const {
    const auto turn = static_cast<std::uint32_t>(round.sequence / Sizes::banks);  // for two ranks
    return lines_[(round.sequence & last_bank_) * ranks_ + (slot ^ (turn & swaps_))];
  }

  RoomHead<Atomics>* head_ = nullptr;
  FinishedLine<Atomics>* finished_lines_ = nullptr;
  RoomLine<Atomics>* lines_ = nullptr;
  char* blocks_ = nullptr;
  std::uint32_t ranks_ = 0;
  std::uint32_t last_bank_ = 0;       // a mask: their number is a power of two
  std::uint32_t swaps_ = 0;           // 1 in a room of two ranks, whose slots swap
  std::uint64_t finished_ = 0;        // by us: all rounds up to here
  std::uint64_t finished_ahead_ = 0;  // and rounds behind it, one bit each
  std::uint64_t published_ = 0;
  std::uint64_t last_block_ = 0;    // finished last; blocks are few, so others are told at once
  std::uint64_t all_finished_ = 0;  // by all ranks, as far as we know
};

}  // namespace baton::lockfree
