// An element guard keeps the elements of a window consistent under accumulates: short accumulates
// change each element by an atomic instruction, long ones change all of theirs under a lock, with
// plain vector instructions. Both at once would lose changes, so the guard has a mode. While it is
// `atomic`, a rank that changes elements says so in a busy line of its own; a rank that wants the
// lock for plain changes first sets `locked` and waits until no line is busy. In `locked` mode
// every rank takes the lock, until that has been unnecessary for a while. window/ uses this.
// Invariant: plain changes happen only in `locked` mode, by the lock's holder, when no line says
// busy.
#pragma once

#include <bit>
#include <cstdint>

#include "lockfree/turn_lock.hpp"

namespace baton::lockfree {

enum class GuardMode : std::uint32_t {
  atomic,
  locked,
  always_locked,  // for good: memory that not all ranks can map
};

template <class Atomics>
struct alignas(cache_line_bytes) ElementGuard {  // written by whoever holds the lock
  typename Atomics::template Atomic<GuardMode> mode;
  typename Atomics::template Atomic<std::uint32_t> lone_uses;  // in a row, by single elements
};
static_assert(sizeof(ElementGuard<Hardware>) == cache_line_bytes);

template <class Atomics>
struct alignas(cache_line_bytes) BusyLine {  // written by its rank
  // This counts the rank's threads that change elements by atomic instructions now.
  typename Atomics::template Atomic<std::uint32_t> busy;
};
static_assert(sizeof(BusyLine<Hardware>) == cache_line_bytes);

// Begins a change by atomic instructions; false: take the lock. `shared` says that other threads of
// this rank do so, too. `fence` is the caller's fence, where no membarrier orders for it.
template <class Atomics, class Fence>
bool begin_atomic_change(const ElementGuard<Atomics>& guard, BusyLine<Atomics>& own, bool shared,
                         Fence fence) {
  // relaxed: ordered before the mode by the lock's holder (membarrier), or by the fence.
  if (BATON_UNLIKELY(shared))
    own.busy.fetch_add(1, std::memory_order_relaxed);
  else
    own.busy.store(1, std::memory_order_relaxed);
  fence();
  // ORDER guard.mode: acquire here, release in allow_atomic_changes; plain changes are visible.
  if (BATON_LIKELY(guard.mode.load(std::memory_order_acquire) == GuardMode::atomic)) return true;
  end_atomic_change(own, shared);
  return false;
}

template <class Atomics>
void end_atomic_change(BusyLine<Atomics>& own, bool shared) {
  // ORDER guard.busy: release here, acquire in is_busy; our changes are visible.
  if (BATON_UNLIKELY(shared))
    own.busy.fetch_sub(1, std::memory_order_release);
  else
    own.busy.store(0, std::memory_order_release);
}

template <class Atomics>
bool is_busy(const BusyLine<Atomics>& line) {
  // ORDER guard.busy: acquire here, release in end_atomic_change.
  return line.busy.load(std::memory_order_acquire) != 0;
}

// A rank registers before its first atomic change at a target, so that a rank that forbids atomic
// changes waits for it, too. There is a bit for each rank.
template <class Word>
void add_visitor(Word* visitors, std::uint32_t rank) {
  // relaxed: ordered before the mode with the busy line.
  visitors[rank / 64].fetch_or(std::uint64_t{1} << rank % 64, std::memory_order_relaxed);
}

// Calls `visit` with each rank that has registered.
template <class Word, class Visit>
void for_each_visitor(const Word* visitors, std::uint32_t ranks, Visit visit) {
  for (std::uint32_t first = 0; first < ranks; first += 64) {
    // relaxed: it follows the caller's membarrier or fence. A rank that registers later reads the
    // mode.
    std::uint64_t bits = visitors[first / 64].load(std::memory_order_relaxed);
    for (; bits != 0; bits &= bits - 1)
      visit(first + static_cast<std::uint32_t>(std::countr_zero(bits)));
  }
}

// Returns the mode. Only the lock's holder changes it; for others it is a hint.
template <class Atomics>
GuardMode mode_of(const ElementGuard<Atomics>& guard) {
  // relaxed: whoever depends on it holds the lock, under which it is written.
  return guard.mode.load(std::memory_order_relaxed);
}

// Forbids atomic changes. Afterwards the caller orders (membarrier or fence), and waits for each
// busy line.
template <class Atomics>
void forbid_atomic_changes(ElementGuard<Atomics>& guard) {
  // relaxed: ordered by the caller.
  guard.mode.store(GuardMode::locked, std::memory_order_relaxed);
  guard.lone_uses.store(0, std::memory_order_relaxed);
}

// Forbids atomic changes for good. The lock's holder calls it when they are forbidden.
template <class Atomics>
void keep_locked(ElementGuard<Atomics>& guard) {
  // relaxed: a rank that reads it takes the lock, as before.
  guard.mode.store(GuardMode::always_locked, std::memory_order_relaxed);
}

template <class Atomics>
void allow_atomic_changes(ElementGuard<Atomics>& guard) {
  // ORDER guard.mode: release here, acquire in begin_atomic_change; plain changes are visible.
  guard.mode.store(GuardMode::atomic, std::memory_order_release);
}

// The holder tells whether it used the lock for a single element. Returns whether atomic
// instructions would have done by now, and cost less than the lock has.
inline constexpr std::uint32_t lone_uses_max = 1000;  // guess: as long as one membarrier takes
template <class Atomics>
bool note_use(ElementGuard<Atomics>& guard, bool lone, std::uint32_t uses_max = lone_uses_max) {
  // relaxed: under the lock.
  const std::uint32_t uses = lone ? guard.lone_uses.load(std::memory_order_relaxed) + 1 : 0;
  guard.lone_uses.store(uses, std::memory_order_relaxed);
  return uses > uses_max;
}

}  // namespace baton::lockfree
