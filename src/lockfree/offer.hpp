// An offer: a sender's buffer that the receiver may take, with one state word in the sender's
// slice. OFFERED -> CLAIMED (by the receiver) -> DONE (by the receiver, or by the sender once it
// has streamed), or OFFERED -> WITHDRAWN (by the sender, who cancels). Claim last: whoever claims
// has already made sure that it can go on. Invariant: the word changes by compare-and-swap only; a
// slot is reused only from DONE or WITHDRAWN.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/job.hpp"

namespace baton::lockfree {

enum class OfferState : std::uint32_t { free, offered, claimed, done, withdrawn };

template <class Atomics>
struct alignas(cache_line_bytes) Offer {
  typename Atomics::template Atomic<OfferState> state;
};
static_assert(sizeof(Offer<Hardware>) == offer_bytes);

// One transition; false when the word was not `from`.
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

// The sender's own slot before anyone knows of it.
template <class Atomics>
void open_offer(Offer<Atomics>& offer) {
  // relaxed: the envelope that names the offer is published through the ring afterwards.
  offer.state.store(OfferState::offered, std::memory_order_relaxed);
}

}  // namespace baton::lockfree
