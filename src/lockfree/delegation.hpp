// A delegation is work that a rank (the asker) asks another rank of its node to do, if that rank is
// in MPI just now. The work lies in a slot of the asker; a bit at the other rank says that somebody
// has asked. If the work is not taken after a while, the asker withdraws it and does it itself.
// window/delegate.cpp uses this. Invariant: work that was asked for is either taken once or
// withdrawn, never both; the rank that has taken it may use the slot until it has finished.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"

namespace baton::lockfree {

// These are the steps of the work in a slot. To `delegation_asked` the number of the rank that was
// asked is added: a bell may ring for work that was withdrawn, when another rank is asked already.
inline constexpr std::uint32_t delegation_idle = 0, delegation_taken = 1, delegation_done = 2,
                               delegation_asked = 3;

template <class Atomics>
struct DelegationState {  // written by both, each at its step
  typename Atomics::template Atomic<std::uint32_t> step;
};

template <class Atomics>
struct alignas(cache_line_bytes) DelegationBell {  // written by all
  // A bit stands for the ranks whose number has this remainder by 64.
  typename Atomics::template Atomic<std::uint64_t> askers;
};
static_assert(sizeof(DelegationBell<Hardware>) == cache_line_bytes);

// --- These functions are for the asker, whose slot has the work.

template <class Atomics>
void ask(DelegationState<Atomics>& state, std::uint32_t whom, DelegationBell<Atomics>& bell,
         std::uint32_t own_rank) {
  // ORDER delegation.asked: release here, acquire in take; the work is in the slot.
  state.step.store(delegation_asked + whom, std::memory_order_release);
  // ORDER delegation.bell: release here, acquire in take_askers; the slot is worth a look.
  bell.askers.fetch_or(std::uint64_t{1} << own_rank % 64, std::memory_order_release);
}

// Returns whether the work that was asked for is over, with its result in the slot.
template <class Atomics>
bool is_done(const DelegationState<Atomics>& state) {
  // ORDER delegation.done: acquire here, release in finish; the result, and all that was changed.
  return state.step.load(std::memory_order_acquire) == delegation_done;
}

// Returns whether nobody has taken the work yet. It is only a hint.
template <class Atomics>
bool is_untaken(const DelegationState<Atomics>& state, std::uint32_t whom) {
  // relaxed: nothing depends on it.
  return state.step.load(std::memory_order_relaxed) == delegation_asked + whom;
}

// Withdraws the work. Returns whether nobody has taken it, nor ever will.
template <class Atomics>
bool withdraw(DelegationState<Atomics>& state, std::uint32_t whom) {
  std::uint32_t expected = delegation_asked + whom;
  // relaxed: nobody else has used the slot.
  return state.step.compare_exchange_strong(expected, delegation_idle, std::memory_order_relaxed,
                                            std::memory_order_relaxed);
}

// --- These functions are for the rank that is asked.

template <class Atomics>
std::uint64_t take_askers(DelegationBell<Atomics>& bell) {
  // relaxed: a look that finds nothing orders nothing.
  if (bell.askers.load(std::memory_order_relaxed) == 0) return 0;
  // ORDER delegation.bell: acquire here, release in ask; the slots that the bits name.
  return bell.askers.exchange(0, std::memory_order_acquire);
}

// Takes the work, if there is any for this rank. Returns whether it is this rank's now.
template <class Atomics>
bool take(DelegationState<Atomics>& state, std::uint32_t own_rank) {
  std::uint32_t expected = delegation_asked + own_rank;
  // ORDER delegation.asked: acquire here, release in ask; the work. (No look before it: that would
  // fetch the line twice.)
  return state.step.compare_exchange_strong(expected, delegation_taken, std::memory_order_acquire,
                                            std::memory_order_relaxed);
}

template <class Atomics>
void finish(DelegationState<Atomics>& state) {
  // ORDER delegation.done: release here, acquire in is_done; the result, and what we changed.
  state.step.store(delegation_done, std::memory_order_release);
}

}  // namespace baton::lockfree
