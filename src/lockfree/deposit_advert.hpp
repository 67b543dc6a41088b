// The one receive of a pair that a deposit model makes known to its sender, so that the sender puts
// the next message straight into its buffer (source: "deposit", transfer redirection: one at a time
// for each receive buffer). It lies beside the pair's ring, in the receiver's slice.
// CLOSED -> OPEN (receiver) -> CLAIMED (sender) -> CLOSED (receiver, when the message's piece has
// come); OPEN -> CLOSED (receiver: another message has matched, or the receive was cancelled);
// CLAIMED -> OPEN (sender, whose kernel refused the copy).
// Invariant: a sender claims only when all that it has put before is consumed, and a receiver
// closes the advert of a receive that it has matched before it says so. So nothing that is under
// way can match the claimed receive. The word changes by compare-and-swap, but for the opening.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"

namespace baton::lockfree {

enum class DepositAdvertState : std::uint64_t { closed, open, claimed };

// Number and state in one word: an advert that was opened anew cannot be taken for the old one.
constexpr std::uint64_t deposit_advert_word(std::uint64_t number, DepositAdvertState state) {
  return number << 2 | static_cast<std::uint64_t>(state);
}

template <class Atomics>
struct alignas(cache_line_bytes) DepositAdvert {
  typename Atomics::template Atomic<std::uint64_t> word;
  typename Atomics::template Atomic<std::uint64_t> address;  // of the receive buffer
  typename Atomics::template Atomic<std::uint64_t> bytes;
  typename Atomics::template Atomic<std::uint64_t> envelope;  // context and tag
};
static_assert(sizeof(DepositAdvert<Hardware>) == cache_line_bytes);

// What an advert says; for the sender true only if it can claim it afterwards.
struct DepositTarget {
  std::uint64_t number = 0;  // 0: none
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t context = 0;
  std::int32_t tag = 0;
};

// The receiver. The advert is closed.
template <class Atomics>
void open_deposit_advert(DepositAdvert<Atomics>& advert, const DepositTarget& target) {
  // relaxed: the word below publishes them; who reads them too early fails to claim.
  advert.address.store(target.address, std::memory_order_relaxed);
  advert.bytes.store(target.bytes, std::memory_order_relaxed);
  advert.envelope.store(
      std::uint64_t{target.context} << 32 | static_cast<std::uint32_t>(target.tag),
      std::memory_order_relaxed);
  // ORDER deposit.advert: release here, acquire in view_deposit_advert; the fields above, and what
  // the program did with the buffer before.
  advert.word.store(deposit_advert_word(target.number, DepositAdvertState::open),
                    std::memory_order_release);
}

// The sender. A target of number 0 when nothing is open.
template <class Atomics>
DepositTarget view_deposit_advert(const DepositAdvert<Atomics>& advert) {
  // ORDER deposit.advert: acquire here, release in open_deposit_advert.
  std::uint64_t word = advert.word.load(std::memory_order_acquire);
  if ((word & 3) != static_cast<std::uint64_t>(DepositAdvertState::open)) return {};
  // relaxed: ordered by the word; torn ones are found out by the claim.
  std::uint64_t envelope = advert.envelope.load(std::memory_order_relaxed);
  return {word >> 2, advert.address.load(std::memory_order_relaxed),
          advert.bytes.load(std::memory_order_relaxed), static_cast<std::uint32_t>(envelope >> 32),
          static_cast<std::int32_t>(envelope & 0xffffffff)};
}

// One transition; false when the word was not `from` any more.
template <class Atomics>
bool move_deposit_advert(DepositAdvert<Atomics>& advert, std::uint64_t number,
                         DepositAdvertState from, DepositAdvertState to) {
  std::uint64_t expected = deposit_advert_word(number, from);
  // ORDER deposit.advert: release here, acquire here: who closes what was claimed in vain has the
  // sender's writes behind it. relaxed on failure: nothing of the other side's is read then.
  return advert.word.compare_exchange_strong(expected, deposit_advert_word(number, to),
                                             std::memory_order_acq_rel, std::memory_order_relaxed);
}

}  // namespace baton::lockfree
