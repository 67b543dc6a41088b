// An advert: a receive that was posted before its message came, made known to the one rank that may
// send it, so that this rank puts the message straight into the receive buffer (source: "deposit",
// transfer redirection). Adverts lie in the receiver's slice, numbered from 1, each in the place of
// its number. OPEN -> CLAIMED (by the sender) -> CLOSED (by the receiver, when the message's line
// has come); OPEN -> CLOSED (by the receiver: another message has matched, or it was cancelled);
// CLAIMED -> OPEN (by the sender, who could not copy after all).
// Invariant: a sender claims only when the receiver has taken in all that it has sent in other
// ways; so none of that can match the receive. A place is used again only when it is closed.
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
  typename Atomics::template Atomic<std::uint64_t> target;  // the receive buffer
  typename Atomics::template Atomic<std::uint64_t> bytes;
  typename Atomics::template Atomic<std::uint32_t> context;
  typename Atomics::template Atomic<std::int32_t> tag;  // or MPI_ANY_TAG
};
static_assert(sizeof(Advert<Hardware>) == advert_bytes);

// What a sender reads. True of the advert only if it can be claimed afterwards: its place may be
// used anew meanwhile.
struct AdvertView {
  std::uint64_t number;
  AdvertState state;
  std::uint64_t target;
  std::uint64_t bytes;
  std::uint32_t context;
  std::int32_t tag;
};

// The receiver. The place is closed.
template <class Atomics>
void open_advert(Advert<Atomics>& advert, std::uint64_t number, std::uint64_t target,
                 std::uint64_t bytes, std::uint32_t context, std::int32_t tag) {
  // relaxed: the word below publishes them; who reads them too early cannot claim.
  advert.target.store(target, std::memory_order_relaxed);
  advert.bytes.store(bytes, std::memory_order_relaxed);
  advert.context.store(context, std::memory_order_relaxed);
  advert.tag.store(tag, std::memory_order_relaxed);
  // ORDER advert.word: release here, acquire in view_advert and move_advert; the fields, and what
  // the program did with the buffer before.
  advert.word.store(advert_word(number, AdvertState::open), std::memory_order_release);
}

template <class Atomics>
AdvertView view_advert(const Advert<Atomics>& advert) {
  // ORDER advert.word: acquire here, release in open_advert.
  std::uint64_t word = advert.word.load(std::memory_order_acquire);
  // relaxed: ordered by the word; torn ones are found out by claim_advert.
  return {word >> 2,
          static_cast<AdvertState>(word & 3),
          advert.target.load(std::memory_order_relaxed),
          advert.bytes.load(std::memory_order_relaxed),
          advert.context.load(std::memory_order_relaxed),
          advert.tag.load(std::memory_order_relaxed)};
}

// One transition; false when it was not `from` any more.
template <class Atomics>
bool move_advert(Advert<Atomics>& advert, std::uint64_t number, AdvertState from, AdvertState to) {
  std::uint64_t expected = advert_word(number, from);
  // ORDER advert.word: release here, acquire here: who closes what was claimed in vain sees the
  // sender's writes over. relaxed on failure: nothing of the other side's is read then.
  return advert.word.compare_exchange_strong(expected, advert_word(number, to),
                                             std::memory_order_acq_rel, std::memory_order_relaxed);
}

}  // namespace baton::lockfree
