// With this a sender wakes a receiver, and a receiver with many peers finds work.
// Each rank has one wake word, rarely written: asleep, wants doorbells, or neither. A sender reads
// it after it has published; only when it is not 0 it does more. A receiver that wants to sleep or
// to trust doorbells first writes the word, then makes sure that every sender has either published
// before or will see the word (membarrier, or fences on both sides), then looks once more.
// Invariant: a bit is cleared before its ring is looked at, never after.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/job.hpp"

namespace baton::lockfree {

inline constexpr std::uint32_t wake_asleep = 1;
inline constexpr std::uint32_t wake_doorbell = 2;

template <class Atomics>
struct alignas(cache_line_bytes) WakeLine {  // written by the receiver; by a waking sender once
  typename Atomics::template Atomic<std::uint32_t> word;
};

// This is the first part of a mailbox.
template <class Atomics>
struct Doorbell {
  WakeLine<Atomics> wake;
  struct alignas(cache_line_bytes) ChunkLine {                // written by senders
    typename Atomics::template Atomic<std::uint64_t> free;    // bit set: the staging chunk is free
    typename Atomics::template Atomic<std::uint32_t> wanted;  // 1: a sender found none to lease
  } chunks;
  typename Atomics::template Atomic<std::uint64_t>
      bits[1];  // one bit for each sender, in as many words as needed
};
static_assert(offsetof(Doorbell<Hardware>, bits) == 2 * cache_line_bytes);
static_assert(offsetof(Doorbell<Hardware>, bits) + ranks_max / 8 <= shared_ring_control_offset);

// Ends the receiver's sleep. It is called alone for work that the receiver finds elsewhere than in
// a ring (rooms, rendezvous entries). Returns true when the caller must issue a futex wake on the
// wake word.
template <class Atomics>
BATON_COLD bool end_sleep(Doorbell<Atomics>& doorbell) {
  // ORDER doorbell.wake: release here, acquire in announce; a receiver that announces anew sees
  // what we have done before. The thread that clears the bit wakes, once; the futex call orders
  // what follows.
  std::uint32_t old = doorbell.wake.word.fetch_and(~wake_asleep, std::memory_order_release);
  return (old & wake_asleep) != 0;
}

// The sender calls this after it has published to the receiver's ring and, where fences are needed,
// fenced. Returns true when the caller must issue a futex wake on the wake word.
template <class Atomics>
BATON_COLD bool ring_doorbell(Doorbell<Atomics>& doorbell, std::uint32_t sender) {
  std::uint64_t bit = std::uint64_t{1} << (sender % 64);
  // ORDER doorbell.bit: release here, acquire in take_doorbells; what we published is visible.
  doorbell.bits[sender / 64].fetch_or(bit, std::memory_order_release);
  return end_sleep(doorbell);
}

// Returns whether anything more than publishing is due. It loads one line, which rarely changes.
template <class Atomics>
BATON_INLINE bool wants_attention(const Doorbell<Atomics>& doorbell) {
  // relaxed: ordered against our publish by the receiver's membarrier, or by the caller's fence.
  return BATON_UNLIKELY(doorbell.wake.word.load(std::memory_order_relaxed) != 0);
}

// The receiver takes and clears one word of doorbells.
template <class Atomics>
std::uint64_t take_doorbells(Doorbell<Atomics>& doorbell, std::uint32_t word) {
  // relaxed: a look that finds nothing orders nothing.
  if (doorbell.bits[word].load(std::memory_order_relaxed) == 0) return 0;
  // ORDER doorbell.bit: acquire here, release in ring_doorbell; the rings named are worth a look.
  return doorbell.bits[word].exchange(0, std::memory_order_acquire);
}

// Announces that the receiver will sleep or trust doorbells. The caller then orders (membarrier or
// full fence) and looks at every source of work before it acts on it.
template <class Atomics>
void announce(Doorbell<Atomics>& doorbell, std::uint32_t bits) {
  // ORDER doorbell.wake: acquire here, release in end_sleep; what those who ended our last sleep
  // have done. The caller orders against all others.
  doorbell.wake.word.fetch_or(bits, std::memory_order_acquire);
}
template <class Atomics>
void retract(Doorbell<Atomics>& doorbell, std::uint32_t bits) {
  // relaxed: a sender that still sees the old word does needless work, nothing worse.
  doorbell.wake.word.fetch_and(~bits, std::memory_order_relaxed);
}

}  // namespace baton::lockfree
