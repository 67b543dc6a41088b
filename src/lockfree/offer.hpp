// An offer is a sender's buffer that the receiver may take, with one state word in the sender's
// slice. OFFERED -> CLAIMED (by the receiver) -> DONE (by the receiver), or CLAIMED -> STREAMING ->
// DONE (by the sender, whom a request for a stream has reached, and once it has streamed), or
// OFFERED -> WITHDRAWN (by the sender, who cancels). CLAIMED -> SHARED -> DONE (by the receiver):
// meanwhile both sides copy, each the pieces that it takes; SHARED at once if the sender has
// claimed an advert. CLAIMED -> TAKEN_BACK (by the receiver, who has asked for a stream and sees
// none begin) -> COPIED, or GIVEN_BACK where it could not copy -> STREAMING; a COPIED offer ends
// once that request has reached the sender. So nobody takes back another message that has the same
// slot. A receiver claims last, when it has made sure that it can go on. Invariant: the word
// changes by compare-and-swap only; a slot is reused only from DONE, WITHDRAWN or COPIED.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/job.hpp"

namespace baton::lockfree {

enum class OfferState : std::uint32_t {
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
struct alignas(cache_line_bytes) Offer {
  typename Atomics::template Atomic<OfferState> state;
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
static_assert(sizeof(Offer<Hardware>) == offer_bytes);

// Makes one transition; false when the word was not `from`.
template <class Atomics>
bool move_offer(Offer<Atomics>& offer, OfferState from, OfferState to) {
  OfferState expected = from;
  // ORDER offer.state: release here, acquire in offer_state and here; all earlier accesses to the
  // offered buffer are over before the other side sees the new state.
  return offer.state.compare_exchange_strong(expected, to, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
}

template <class Atomics>
OfferState offer_state(const Offer<Atomics>& offer) {
  // ORDER offer.state: acquire here, release in move_offer.
  return offer.state.load(std::memory_order_acquire);
}

// Opens the sender's own slot before any other rank knows of it.
template <class Atomics>
void open_offer(Offer<Atomics>& offer) {
  // relaxed: the envelope that names the offer is published through the ring afterwards.
  offer.state.store(OfferState::offered, std::memory_order_relaxed);
}

// Sets what both sides are to copy.
template <class Atomics>
void set_pieces(Offer<Atomics>& offer, std::uint64_t target, std::uint64_t bytes,
                std::uint32_t piece_bytes) {
  // relaxed: the caller publishes them.
  offer.piece_bytes.store(piece_bytes, std::memory_order_relaxed);
  offer.target.store(target, std::memory_order_relaxed);
  offer.bytes.store(bytes, std::memory_order_relaxed);
  offer.taken.store(0, std::memory_order_relaxed);
  offer.pushed.store(0, std::memory_order_relaxed);
  offer.refused.store(0, std::memory_order_relaxed);
}

// The receiver, who has claimed the offer, shares it: from now on both may take pieces.
template <class Atomics>
void share_offer(Offer<Atomics>& offer, std::uint64_t target, std::uint64_t bytes,
                 std::uint32_t piece_bytes) {
  set_pieces(offer, target, bytes, piece_bytes);
  (void)move_offer(offer, OfferState::claimed, OfferState::shared);
}

// Opens the sender's own slot as shared from the first, since it knows the receiver's buffer
// (advert.hpp).
template <class Atomics>
void open_shared_offer(Offer<Atomics>& offer, std::uint64_t target, std::uint64_t bytes,
                       std::uint32_t piece_bytes) {
  set_pieces(offer, target, bytes, piece_bytes);
  // relaxed: as in open_offer.
  offer.state.store(OfferState::shared, std::memory_order_relaxed);
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
std::uint64_t pieces_in_all(const Offer<Atomics>& offer) {
  // relaxed: written before the offer was shared, which the caller has seen or has done itself.
  std::uint64_t piece = offer.piece_bytes.load(std::memory_order_relaxed);
  return (offer.bytes.load(std::memory_order_relaxed) + piece - 1) / piece;
}

// Takes the next piece of a shared offer.
template <class Atomics>
Piece take_piece(Offer<Atomics>& offer, Taker taker) {
  std::uint64_t all = pieces_in_all(offer);
  // It loads first, since a side that waits for the other's last piece asks again and again.
  // relaxed: this decides only which side copies which piece.
  if (pieces_taken(offer.taken.load(std::memory_order_relaxed)) >= all) return {0, 0};
  bool from_front = taker == Taker::receiver;
  std::uint64_t before =
      offer.taken.fetch_add(from_front ? 1 : one_from_back, std::memory_order_relaxed);
  if (pieces_taken(before) >= all) return {0, 0};
  // relaxed: as in pieces_in_all.
  std::uint64_t piece = offer.piece_bytes.load(std::memory_order_relaxed);
  std::uint64_t bytes = offer.bytes.load(std::memory_order_relaxed);
  std::uint64_t number = from_front ? before & (one_from_back - 1) : all - 1 - (before >> 32);
  std::uint64_t begin = number * piece;
  return {begin, piece < bytes - begin ? piece : bytes - begin};
}

// The sender reports on the piece it took: it has copied it, or its kernel has refused.
template <class Atomics>
void push_done(Offer<Atomics>& offer) {
  // ORDER offer.pushed: release here, acquire in pushed_pieces; the bytes are in the receiver's
  // buffer.
  offer.pushed.fetch_add(1, std::memory_order_release);
}
template <class Atomics>
void push_refused(Offer<Atomics>& offer) {
  // ORDER offer.pushed: release here, acquire in was_refused; the sender touches nothing any more.
  offer.refused.store(1, std::memory_order_release);
}

// The receiver ends the taking. Returns how many pieces both sides have taken.
template <class Atomics>
std::uint64_t close_pieces(Offer<Atomics>& offer) {
  std::uint64_t all = pieces_in_all(offer);
  // relaxed: offer.pushed orders the copied data.
  std::uint64_t taken = pieces_taken(offer.taken.exchange(all, std::memory_order_relaxed));
  return taken < all ? taken : all;
}
// Returns how many pieces the sender has copied so far.
template <class Atomics>
std::uint64_t pushed_pieces(const Offer<Atomics>& offer) {
  // ORDER offer.pushed: acquire here, release in push_done.
  return offer.pushed.load(std::memory_order_acquire);
}
template <class Atomics>
bool was_refused(const Offer<Atomics>& offer) {
  // ORDER offer.pushed: acquire here, release in push_refused.
  return offer.refused.load(std::memory_order_acquire) != 0;
}

}  // namespace baton::lockfree
