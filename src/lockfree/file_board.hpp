// The page that the ranks of a node share for a file: the shared file pointer, and the slots of the
// memory through which they exchange data in collective accesses. The data of an access is divided
// into pieces of the file, numbered in the order of use; a slot serves one piece at a time, in
// turns. In a write all ranks that have bytes in a piece fill it, then one of them writes it. In a
// read one of them reads it, then all take their bytes.
// A bit for each rank, behind the board, tells that the rank uses all this no more.
// Invariant: a slot's `done` is the number of turns that are over; whoever claims a turn alone
// moves between the slot's memory and the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"

namespace baton::lockfree {

template <class Atomics>
struct alignas(cache_line_bytes) FileSlot {
  typename Atomics::template Atomic<std::uint64_t> done;     // turns that are over
  typename Atomics::template Atomic<std::uint64_t> claimed;  // turns whose mover is known
  typename Atomics::template Atomic<std::uint64_t> loaded;   // turns of reads whose bytes are there
  typename Atomics::template Atomic<std::int64_t> bytes;     // of them: bytes that the file had
  typename Atomics::template Atomic<std::uint32_t> arrived;  // ranks whose part of the turn is over

  // Returns whether a turn may begin: the one before is over.
  bool is_free(std::uint64_t turn) const {
    // ORDER file.done: acquire here, release in finish; nobody uses the memory any more.
    return done.load(std::memory_order_acquire) == turn;
  }
  bool is_over(std::uint64_t turn) const {
    // ORDER file.done: acquire here, release in finish; the errors of the turn.
    return done.load(std::memory_order_acquire) > turn;
  }
  // Ends this rank's part. Returns true for the last of `expected` ranks.
  bool arrive(std::uint32_t expected) {
    // ORDER file.arrived: release by each, acquire by the last and in all_arrived.
    return arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == expected;
  }
  bool all_arrived(std::uint32_t expected) const {
    // ORDER file.arrived: acquire here, release in arrive; what the ranks have filled.
    return arrived.load(std::memory_order_acquire) == expected;
  }
  bool is_claimed(std::uint64_t turn) const {
    return claimed.load(std::memory_order_relaxed) > turn;  // relaxed: only a guess; claim decides
  }
  // Returns true for the one rank that moves the turn's bytes.
  bool claim(std::uint64_t turn) {
    // relaxed: what the mover needs is ordered by `arrived` or `done`.
    return claimed.compare_exchange_strong(turn, turn + 1, std::memory_order_relaxed,
                                           std::memory_order_relaxed);
  }
  // Tells that the bytes of a read are there, `found` of them.
  void tell_loaded(std::uint64_t turn, std::int64_t found) {
    bytes.store(found, std::memory_order_relaxed);  // relaxed: the next store publishes
    // ORDER file.loaded: release here, acquire in is_loaded.
    loaded.store(turn + 1, std::memory_order_release);
  }
  bool is_loaded(std::uint64_t turn) const {
    // ORDER file.loaded: acquire here, release in tell_loaded.
    return loaded.load(std::memory_order_acquire) > turn;
  }
  // Returns the bytes that the file had for a turn that is loaded.
  std::int64_t found() const {
    return bytes.load(std::memory_order_relaxed);  // relaxed: is_loaded has acquired it
  }
  // Ends the turn.
  void finish(std::uint64_t turn) {
    arrived.store(0, std::memory_order_relaxed);  // relaxed: the next store publishes
    // ORDER file.done: release here, acquire in is_free and is_over.
    done.store(turn + 1, std::memory_order_release);
  }
};

template <class Atomics>
struct FileBoard {
  static constexpr std::uint32_t slots_max = 16;
  static constexpr std::uint32_t failures_max = 8;

  struct alignas(cache_line_bytes) PointerLine {             // written by all ranks
    typename Atomics::template Atomic<std::int64_t> etypes;  // the shared file pointer
  } pointer;
  struct alignas(cache_line_bytes) FailureLine {  // written by movers that fail
    // The last failure of an access: its number in the upper half, an errno in the lower one.
    // Accesses take places by turns; at most so many overlap.
    typename Atomics::template Atomic<std::uint64_t> last[failures_max];
  } failures;
  FileSlot<Atomics> slots[slots_max];

  // The bits of ranks that have left lie behind the board, which is as long as this with them.
  using Word = typename Atomics::template Atomic<std::uint64_t>;
  static constexpr std::size_t bytes(int ranks) {
    return sizeof(FileBoard) + (static_cast<std::size_t>(ranks) / 64 + 1) * sizeof(Word);
  }
  void tell_left(int rank) {
    // ORDER file.left: release here, acquire in has_left; the rank's last use of the memory.
    left(rank).fetch_or(bit(rank), std::memory_order_release);
  }
  bool has_left(int rank) {
    // ORDER file.left: acquire here, release in tell_left.
    return left(rank).load(std::memory_order_acquire) & bit(rank);
  }

  void note_failure(std::uint32_t access, int error) {
    // relaxed: `done` of the piece publishes it.
    failures.last[access % failures_max].store(
        std::uint64_t{access} << 32 | static_cast<std::uint32_t>(error), std::memory_order_relaxed);
  }
  // Returns the errno of an access whose pieces are over; 0: none failed.
  int failure_of(std::uint32_t access) const {
    const std::uint64_t last =
        failures.last[access % failures_max].load(std::memory_order_relaxed);  // relaxed: as above
    return last >> 32 == access ? static_cast<int>(last & 0xffffffff) : 0;
  }

 private:
  Word& left(int rank) { return reinterpret_cast<Word*>(this + 1)[rank / 64]; }
  static std::uint64_t bit(int rank) { return std::uint64_t{1} << rank % 64; }
};
static_assert(sizeof(FileBoard<Hardware>) == (2 + 16) * cache_line_bytes);

}  // namespace baton::lockfree
