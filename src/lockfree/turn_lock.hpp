// This is a fair lock of many readers or one writer (a ticket lock), as words in shared memory: a
// rank that wants it takes a number, and numbers are served in their order; readers that follow
// each other hold it together. A rank that waits leaves its name under its number, so that it alone
// is woken when its turn comes. It follows the ticket lock for readers and writers of
// Mellor-Crummey and Scott ("Scalable Reader-Writer Synchronization for Shared-Memory
// Multiprocessors").
// Invariant: `gone` counts the holders that have let go; a number is served when all before it
// have, or when it reads and the one before it, which reads and is served, has let it in.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/last_names.hpp"

namespace baton::lockfree {

template <class Atomics>
struct alignas(cache_line_bytes) TurnLock {                 // written by all that want it
  typename Atomics::template Atomic<std::uint32_t> next;    // the next number to be taken
  typename Atomics::template Atomic<std::uint32_t> let_in;  // by a reader, if it reads, too
  typename Atomics::template Atomic<std::uint32_t> gone;    // have let go; this number is served
  LastNames<Atomics> takers;  // names for numbers, where a rank leaves one
};
static_assert(sizeof(TurnLock<Hardware>) == cache_line_bytes);

// Takes a number, to be served and given back.
template <class Atomics>
std::uint32_t take_number(TurnLock<Atomics>& lock) {
  // relaxed: is_served acquires what earlier holders have written.
  return lock.next.fetch_add(1, std::memory_order_relaxed);
}

template <class Atomics>
bool is_served(const TurnLock<Atomics>& lock, std::uint32_t number, bool writes) {
  // ORDER turn.served: acquire here, release in let_go; what they wrote, and that they have read.
  if (lock.gone.load(std::memory_order_acquire) == number) return true;
  // ORDER turn.let_in: acquire here, release in let_readers_in; what the last writer wrote.
  return !writes && lock.let_in.load(std::memory_order_acquire) == number;
}

// Returns how many numbers before this one have not let go. It is only a hint.
template <class Atomics>
std::uint32_t numbers_before(const TurnLock<Atomics>& lock, std::uint32_t number) {
  // relaxed: nothing depends on it.
  return number - lock.gone.load(std::memory_order_relaxed);
}

// A reader that is served lets the next number in, if that reads, too.
template <class Atomics>
void let_readers_in(TurnLock<Atomics>& lock, std::uint32_t number) {
  // ORDER turn.let_in: release here, acquire in is_served; the last writer's writes, which we saw.
  lock.let_in.store(number + 1, std::memory_order_release);
}

// The holder lets go. Returns the number that may be served now.
template <class Atomics>
std::uint32_t let_go(TurnLock<Atomics>& lock, std::uint32_t number, bool writes) {
  // ORDER turn.served: release here, acquire in is_served; our reads are over, and with those of
  // other readers that have let go, since each continues the release of those before.
  if (!writes) return lock.gone.fetch_add(1, std::memory_order_release) + 1;
  // This resets `let_in`: a reader's value left there would let in an equal number after wrapping.
  // relaxed: the number that is served next sees it behind `gone`.
  lock.let_in.store(number, std::memory_order_relaxed);
  // ORDER turn.served: release here, acquire in is_served; our writes are visible.
  lock.gone.store(number + 1, std::memory_order_release);
  return number + 1;
}

// Returns whether anybody has taken that number, so that there may be somebody to wake. Call it
// after let_go and, where senders fence, a fence.
template <class Atomics>
bool is_taken(const TurnLock<Atomics>& lock, std::uint32_t number) {
  // relaxed: a sleeper orders it (membarrier or fence) before it looks for the last time.
  return static_cast<std::int32_t>(lock.next.load(std::memory_order_relaxed) - number) > 0;
}

}  // namespace baton::lockfree
