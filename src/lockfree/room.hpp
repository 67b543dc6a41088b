// A room: where the ranks of a communicator meet for short collectives. Each rank has one line in
// each of two banks, flag and payload together, and a block for payload that does not fit beside
// the flag; operation k uses bank k % 2. Nobody can be two operations ahead, because an operation
// ends for a rank only when all have arrived in it. Invariant: a line and its block are written by
// their rank only; its sequence grows by one an operation.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"

namespace baton::lockfree {

inline constexpr std::int64_t room_line_payload_bytes = 56;
inline constexpr std::int64_t room_payload_bytes = 1024;  // guess: beyond, trees are better

template <class Atomics>
struct alignas(cache_line_bytes) RoomLine {
  typename Atomics::template Atomic<std::uint64_t> sequence;
  char payload[room_line_payload_bytes];
};
static_assert(sizeof(RoomLine<Hardware>) == cache_line_bytes);

// The first line of a room: how many ranks have left it for good.
template <class Atomics>
struct alignas(cache_line_bytes) RoomHead {
  typename Atomics::template Atomic<std::uint32_t> left;
};
static_assert(sizeof(RoomHead<Hardware>) == cache_line_bytes);

constexpr std::uint64_t room_bytes(std::uint32_t ranks) {
  return sizeof(RoomHead<Hardware>) +
         2 * std::uint64_t{ranks} * (sizeof(RoomLine<Hardware>) + room_payload_bytes);
}

// One rank's view of a room; private memory.
template <class Atomics>
class Room {
 public:
  Room() = default;
  Room(char* memory, std::uint32_t ranks)
      : head_(reinterpret_cast<RoomHead<Atomics>*>(memory)),
        lines_(reinterpret_cast<RoomLine<Atomics>*>(memory + sizeof(RoomHead<Atomics>))),
        ranks_(ranks) {}
  bool exists() const { return head_ != nullptr; }
  std::uint32_t ranks() const { return ranks_; }

  // Opens the next operation with our contribution.
  void arrive(std::uint32_t rank, const void* payload, std::size_t bytes) {
    ++sequence_;
    RoomLine<Atomics>& line = bank()[rank];
    if (bytes) Atomics::store_payload(place(rank, bytes), payload, bytes);
    // ORDER room.arrive: release here, acquire in has_arrived; the payload is visible.
    line.sequence.store(sequence_, std::memory_order_release);
  }
  // Whether a rank has arrived in the operation we are in.
  bool has_arrived(std::uint32_t rank) const {
    // ORDER room.arrive: acquire here, release in arrive.
    return bank()[rank].sequence.load(std::memory_order_acquire) >= sequence_;
  }
  // The first rank from `from` on that has not arrived; ranks() when all have.
  std::uint32_t first_missing(std::uint32_t from) const {
    while (from < ranks_ && has_arrived(from)) ++from;
    return from;
  }
  // What a rank that has arrived brought: a copy, or where it lies until our next arrival.
  void load(std::uint32_t rank, void* target, std::size_t bytes) const {
    Atomics::load_payload(target, place(rank, bytes), bytes);
  }
  const void* view(std::uint32_t rank, std::size_t bytes) const { return place(rank, bytes); }

  // We will not come back. The room's owner may reuse it when all have left.
  void leave() {
    // ORDER room.left: release here, acquire in all_left; our reads are over.
    head_->left.fetch_add(1, std::memory_order_release);
  }
  bool all_left() const {
    // ORDER room.left: acquire here, release in leave.
    return head_->left.load(std::memory_order_acquire) == ranks_;
  }

 private:
  RoomLine<Atomics>* bank() const { return lines_ + (sequence_ & 1) * ranks_; }
  char* place(std::uint32_t rank, std::size_t bytes) const {
    if (bytes <= room_line_payload_bytes) return bank()[rank].payload;
    char* blocks = reinterpret_cast<char*>(lines_ + 2 * std::uint64_t{ranks_});
    return blocks + ((sequence_ & 1) * ranks_ + rank) * room_payload_bytes;
  }

  RoomHead<Atomics>* head_ = nullptr;
  RoomLine<Atomics>* lines_ = nullptr;
  std::uint64_t sequence_ = 0;
  std::uint32_t ranks_ = 0;
};

}  // namespace baton::lockfree
