// A rendezvous entry stands for a sender's buffer that the receiver may take, with one state word
// in the sender's slice. OFFERED -> CLAIMED (by the receiver) -> DONE (by the receiver), or CLAIMED
// -> STREAMING -> DONE (by the sender, whom a request for a stream has reached, and once it has
// streamed), or OFFERED -> WITHDRAWN (by the sender, who cancels). CLAIMED -> SHARED -> DONE (by
// the receiver): meanwhile both sides copy, each the pieces that it takes; SHARED at once if the
// sender has claimed an advert. CLAIMED -> TAKEN_BACK (by the receiver, who has asked for a stream
// and sees none begin) -> COPIED, or GIVEN_BACK where it could not copy -> STREAMING; a COPIED
// entry ends once that request has reached the sender. A receiver claims last, when it has made
// sure that it can go on. Each use of a slot has a number, which stands in the word beside the
// state: a receiver that has not yet seen its stream begin, and end, takes back only the use that
// it has claimed, and not the next message of the slot. Invariant: the word of an open slot changes
// by compare-and-swap only; a slot is reused only from DONE, WITHDRAWN or COPIED.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/job.hpp"

namespace baton::lockfree {

enum class RendezvousState : std::uint32_t {
  free,
  offered,
  claimed,
  streaming,
  shared,
  done,
  withdrawn,
  taken_back,
  copied,
  given_back
};

template <class Atomics>
struct alignas(cache_line_bytes) RendezvousEntry {
  typename Atomics::template Atomic<std::uint32_t> word;  // see entry_word
  // These are valid while it is shared: the receiver's buffer, all bytes, and the size of a piece.
  typename Atomics::template Atomic<std::uint64_t> piece_bytes;
  typename Atomics::template Atomic<std::uint64_t> target;
  typename Atomics::template Atomic<std::uint64_t> bytes;
  // This counts the pieces that are taken, by the receiver from the front (lower half), by the
  // sender from the back (upper half). So with the same buffers each copies the same part again,
  // from its cache.
  typename Atomics::template Atomic<std::uint64_t> taken;
  typename Atomics::template Atomic<std::uint64_t> pushed;   // pieces that the sender has copied
  typename Atomics::template Atomic<std::uint64_t> refused;  // the sender could not copy a piece
};
static_assert(sizeof(RendezvousEntry<Hardware>) == rendezvous_entry_bytes);

inline constexpr std::uint32_t entry_state_bits = 4;  // the number of the use has the others

constexpr std::uint32_t entry_word(std::uint32_t use, RendezvousState state) {
  return use << entry_state_bits | static_cast<std::uint32_t>(state);
}

// Returns the number of the use, for who knows that the slot is open.
template <class Atomics>
std::uint32_t entry_use(const RendezvousEntry<Atomics>& entry) {
  // relaxed: it stays while the slot is open, and what told of the slot came after it.
  return entry.word.load(std::memory_order_relaxed) >> entry_state_bits;
}

// Makes one transition of this use; false when the word was another one.
template <class Atomics>
bool move_entry(RendezvousEntry<Atomics>& entry, std::uint32_t use, RendezvousState from,
                RendezvousState to) {
  std::uint32_t expected = entry_word(use, from);
  // ORDER rendezvous_entry.word: release here, acquire in entry_state and here; all earlier
  // accesses to the offered buffer are over before the other side sees the new state.
  return entry.word.compare_exchange_strong(expected, entry_word(use, to),
                                            std::memory_order_acq_rel, std::memory_order_acquire);
}

// Makes one transition, for who knows that the slot is open.
template <class Atomics>
bool move_entry(RendezvousEntry<Atomics>& entry, RendezvousState from, RendezvousState to) {
  return move_entry(entry, entry_use(entry), from, to);
}

template <class Atomics>
RendezvousState entry_state(const RendezvousEntry<Atomics>& entry) {
  // ORDER rendezvous_entry.word: acquire here, release in move_entry.
  const std::uint32_t word = entry.word.load(std::memory_order_acquire);
  return static_cast<RendezvousState>(word & ((1u << entry_state_bits) - 1));
}

// Opens the sender's own slot in this state, before any other rank knows of this use.
template <class Atomics>
void open_entry(RendezvousEntry<Atomics>& entry, RendezvousState state = RendezvousState::offered) {
  // relaxed: the envelope that names the entry is published through the ring afterwards.
  entry.word.store(entry_word(entry_use(entry) + 1, state), std::memory_order_relaxed);
}

// Sets what both sides are to copy.
template <class Atomics>
void set_pieces(RendezvousEntry<Atomics>& entry, std::uint64_t target, std::uint64_t bytes,
                std::uint32_t piece_bytes) {
  // relaxed: the caller publishes them.
  entry.piece_bytes.store(piece_bytes, std::memory_order_relaxed);
  entry.target.store(target, std::memory_order_relaxed);
  entry.bytes.store(bytes, std::memory_order_relaxed);
  entry.taken.store(0, std::memory_order_relaxed);
  entry.pushed.store(0, std::memory_order_relaxed);
  entry.refused.store(0, std::memory_order_relaxed);
}

// The receiver, who has claimed the entry, shares it: from now on both may take pieces.
template <class Atomics>
void share_entry(RendezvousEntry<Atomics>& entry, std::uint64_t target, std::uint64_t bytes,
                 std::uint32_t piece_bytes) {
  set_pieces(entry, target, bytes, piece_bytes);
  (void)move_entry(entry, RendezvousState::claimed, RendezvousState::shared);
}

// Opens the sender's own slot as shared from the first, since it knows the receiver's buffer
// (advert.hpp).
template <class Atomics>
void open_shared_entry(RendezvousEntry<Atomics>& entry, std::uint64_t target, std::uint64_t bytes,
                       std::uint32_t piece_bytes) {
  set_pieces(entry, target, bytes, piece_bytes);
  open_entry(entry, RendezvousState::shared);
}

struct Piece {
  std::uint64_t begin;
  std::uint64_t bytes;  // 0: all pieces are taken
};
enum class Taker { receiver, sender };

inline constexpr std::uint64_t one_from_back = std::uint64_t{1} << 32;
constexpr std::uint64_t pieces_taken(std::uint64_t taken) {
  return (taken & (one_from_back - 1)) + (taken >> 32);
}
template <class Atomics>
std::uint64_t pieces_in_all(const RendezvousEntry<Atomics>& entry) {
  // relaxed: written before the entry was shared, which the caller has seen or has done itself.
  std::uint64_t piece = entry.piece_bytes.load(std::memory_order_relaxed);
  return (entry.bytes.load(std::memory_order_relaxed) + piece - 1) / piece;
}

// Takes the next piece of a shared entry.
template <class Atomics>
Piece take_piece(RendezvousEntry<Atomics>& entry, Taker taker) {
  std::uint64_t all = pieces_in_all(entry);
  // It loads first, since a side that waits for the other's last piece asks again and again.
  // relaxed: this decides only which side copies which piece.
  if (pieces_taken(entry.taken.load(std::memory_order_relaxed)) >= all) return {0, 0};
  bool from_front = taker == Taker::receiver;
  std::uint64_t before =
      entry.taken.fetch_add(from_front ? 1 : one_from_back, std::memory_order_relaxed);
  if (pieces_taken(before) >= all) return {0, 0};
  // relaxed: as in pieces_in_all.
  std::uint64_t piece = entry.piece_bytes.load(std::memory_order_relaxed);
  std::uint64_t bytes = entry.bytes.load(std::memory_order_relaxed);
  std::uint64_t number = from_front ? before & (one_from_back - 1) : all - 1 - (before >> 32);
  std::uint64_t begin = number * piece;
  return {begin, piece < bytes - begin ? piece : bytes - begin};
}

// The sender reports on the piece it took: it has copied it, or its kernel has refused.
template <class Atomics>
void push_done(RendezvousEntry<Atomics>& entry) {
  // ORDER rendezvous_entry.pushed: release here, acquire in pushed_pieces; the bytes are in the
  // receiver's buffer.
  entry.pushed.fetch_add(1, std::memory_order_release);
}
template <class Atomics>
void push_refused(RendezvousEntry<Atomics>& entry) {
  // ORDER rendezvous_entry.pushed: release here, acquire in was_refused; the sender touches nothing
  // any more.
  entry.refused.store(1, std::memory_order_release);
}

// The receiver ends the taking. Returns how many pieces both sides have taken.
template <class Atomics>
std::uint64_t close_pieces(RendezvousEntry<Atomics>& entry) {
  std::uint64_t all = pieces_in_all(entry);
  // relaxed: rendezvous_entry.pushed orders the copied data.
  std::uint64_t taken = pieces_taken(entry.taken.exchange(all, std::memory_order_relaxed));
  return taken < all ? taken : all;
}
// Returns how many pieces the sender has copied so far.
template <class Atomics>
std::uint64_t pushed_pieces(const RendezvousEntry<Atomics>& entry) {
  // ORDER rendezvous_entry.pushed: acquire here, release in push_done.
  return entry.pushed.load(std::memory_order_acquire);
}
template <class Atomics>
bool was_refused(const RendezvousEntry<Atomics>& entry) {
  // ORDER rendezvous_entry.pushed: acquire here, release in push_refused.
  return entry.refused.load(std::memory_order_acquire) != 0;
}

}  // namespace baton::lockfree
