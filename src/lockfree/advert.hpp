// An advert makes a receive that was posted before its message came known to the one rank that may
// send it, so that this rank puts the message straight into the receive buffer (source: "deposit",
// transfer redirection). Adverts lie in the receiver's slice, numbered from 1, each in the place of
// its number. OPEN -> CLAIMED (by the sender) -> CLOSED (by the receiver, when the message's line
// has come); OPEN -> CLOSED (by the receiver: another message has matched, or it was cancelled);
// CLAIMED -> OPEN (by the sender, who could not copy after all).
// Invariant: a sender claims only when the receiver has taken in all messages that it has sent in
// other ways; so none of those can match the receive. A place is used again only when it is closed.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/job.hpp"

namespace baton::lockfree {

enum class AdvertState : std::uint64_t { closed, open, claimed };

constexpr std::uint64_t advert_word(std::uint64_t number, AdvertState state) {
  return number << 2 | static_cast<std::uint64_t>(state);
}

template <class Atomics>
struct alignas(cache_line_bytes) Advert {
  typename Atomics::template Atomic<std::uint64_t> word;    // number and state
  typename Atomics::template Atomic<std::uint64_t> target;  // address of the receive buffer
  typename Atomics::template Atomic<std::uint64_t> bytes;
  typename Atomics::template Atomic<std::uint32_t> context;
  typename Atomics::template Atomic<std::int32_t> tag;  // the receive's tag, or MPI_ANY_TAG
};
static_assert(sizeof(Advert<Hardware>) == advert_bytes);

// This is a sender's copy of an advert. It is valid only if the advert can be claimed afterwards,
// since its place may be used anew meanwhile.
struct AdvertView {
  std::uint64_t number;
  AdvertState state;
  std::uint64_t target;
  std::uint64_t bytes;
  std::uint32_t context;
  std::int32_t tag;
};

// The receiver opens an advert in a place that is closed.
template <class Atomics>
void open_advert(Advert<Atomics>& advert, std::uint64_t number, std::uint64_t target,
                 std::uint64_t bytes, std::uint32_t context, std::int32_t tag) {
  // relaxed: the word below publishes them; a sender that reads them too early cannot claim.
  advert.target.store(target, std::memory_order_relaxed);
  advert.bytes.store(bytes, std::memory_order_relaxed);
  advert.context.store(context, std::memory_order_relaxed);
  advert.tag.store(tag, std::memory_order_relaxed);
  // ORDER advert.word: release here, acquire in view_advert and move_advert; the fields, and all
  // that the program did with the buffer before.
  advert.word.store(advert_word(number, AdvertState::open), std::memory_order_release);
}

template <class Atomics>
AdvertView view_advert(const Advert<Atomics>& advert) {
  // ORDER advert.word: acquire here, release in open_advert.
  std::uint64_t word = advert.word.load(std::memory_order_acquire);
  // relaxed: ordered by the word; claim_advert finds out torn ones.
  return {word >> 2,
          static_cast<AdvertState>(word & 3),
          advert.target.load(std::memory_order_relaxed),
          advert.bytes.load(std::memory_order_relaxed),
          advert.context.load(std::memory_order_relaxed),
          advert.tag.load(std::memory_order_relaxed)};
}

// Makes one transition; false when the state was not `from` any more.
template <class Atomics>
bool move_advert(Advert<Atomics>& advert, std::uint64_t number, AdvertState from, AdvertState to) {
  std::uint64_t expected = advert_word(number, from);
  // ORDER advert.word: release here, acquire here: a receiver that closes an advert that was
  // claimed in vain sees the sender's writes over. relaxed on failure: none of the other side's
  // data is read then.
  return advert.word.compare_exchange_strong(expected, advert_word(number, to),
                                             std::memory_order_acq_rel, std::memory_order_relaxed);
}

}  // namespace baton::lockfree
