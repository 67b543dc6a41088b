// A window row is what a rank of a window shares with the ranks of its node, in its own memory: the
// window's lock, the guard of its elements, the state of exposure epochs, and the list of attached
// memory. It begins as all zeros. window/ uses it. Invariant: each part has the writers that its
// comment names.
#pragma once

#include <bit>
#include <cstdint>

#include "lockfree/element_guard.hpp"
#include "lockfree/region_list.hpp"

namespace baton::lockfree {

template <class Atomics>
struct alignas(cache_line_bytes) EpochLine {  // written by the origins of our exposure epochs
  typename Atomics::template Atomic<std::uint32_t> completed;  // calls of MPI_Win_complete so far
  LastNames<Atomics> completers;                               // the last ranks that completed
};
static_assert(sizeof(EpochLine<Hardware>) == cache_line_bytes);

template <class Atomics>
struct WindowRow {
  TurnLock<Atomics> lock;      // of MPI_Win_lock
  TurnLock<Atomics> elements;  // for plain changes by accumulates
  ElementGuard<Atomics> guard;
  BusyLine<Atomics> busy;  // this rank's own, for elements at any rank
  EpochLine<Atomics> epochs;
  RegionLine<Atomics> regions;
};
static_assert(sizeof(WindowRow<Hardware>) == 6 * cache_line_bytes);

// These are the offsets of the parts that follow the row, for a window of `ranks`.
struct WindowRowLayout {
  explicit constexpr WindowRowLayout(std::uint32_t ranks)
      : posted(sizeof(WindowRow<Hardware>)),
        waiters(posted + ranks * std::uint64_t{4}),
        visitors((waiters + std::bit_ceil(ranks) * std::uint64_t{4} + 7) / 8 * 8),
        bytes(visitors + (ranks + 63) / 64 * std::uint64_t{8}) {}

  std::uint64_t posted;    // u32 by rank: calls of MPI_Win_post for us so far; written by that rank
  std::uint64_t waiters;   // u32 by number at `lock`: the rank that has it, plus 1
  std::uint64_t visitors;  // a bit by rank: it has changed our elements by atomic instructions
  std::uint64_t bytes;
};

}  // namespace baton::lockfree
