// A partition board is what the two sides of a partitioned message share: whether the receiver has
// begun an iteration, and the state of each unit, the pieces in which the data goes. It lies in the
// receiver's memory and begins as all zeros. message/partitioned/ uses it. Invariant: a unit's data
// is moved by whoever has claimed it; its state goes from ready to claimed to arrived, once in an
// iteration, and iterations count from 1. Where ranks may go on without others, either side may
// withdraw a unit that is not claimed, which then nobody moves.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"

namespace baton::lockfree {

// The states of a unit in one iteration. Later iterations have greater states; before the first
// one it is 0.
constexpr std::uint64_t unit_withdrawn(std::uint64_t iteration) {
  return 4 * iteration;
}
constexpr std::uint64_t unit_ready(std::uint64_t iteration) {
  return 4 * iteration + 1;
}
constexpr std::uint64_t unit_claimed(std::uint64_t iteration) {
  return 4 * iteration + 2;
}
constexpr std::uint64_t unit_arrived(std::uint64_t iteration) {
  return 4 * iteration + 3;
}

template <class Atomics>
struct PartitionBoard {
  struct alignas(cache_line_bytes) ReceiverLine {
    typename Atomics::template Atomic<std::uint64_t> started;  // the iteration it has begun
  } receiver;
  struct alignas(cache_line_bytes) SenderLine {
    typename Atomics::template Atomic<std::uint32_t> let_go;  // 1: it will never look here again
  } sender;
};
static_assert(sizeof(PartitionBoard<Hardware>) == 2 * cache_line_bytes);

template <class Atomics>
struct UnitState {  // at the beginning of a cache line; staged data follows it
  typename Atomics::template Atomic<std::uint64_t> word;
};

// --- for the receiver

template <class Atomics>
void begin_iteration(PartitionBoard<Atomics>& board, std::uint64_t iteration) {
  // ORDER board.started: release here, acquire in has_begun; the buffer may be written again.
  board.receiver.started.store(iteration, std::memory_order_release);
}

// Returns whether the board may be freed.
template <class Atomics>
bool has_let_go(const PartitionBoard<Atomics>& board) {
  // ORDER board.let_go: acquire here, release in let_go; the sender's last look came before.
  return board.sender.let_go.load(std::memory_order_acquire) != 0;
}

// --- for the sender

template <class Atomics>
void let_go(PartitionBoard<Atomics>& board) {
  // ORDER board.let_go: release here, acquire in has_let_go.
  board.sender.let_go.store(1, std::memory_order_release);
}

template <class Atomics>
bool has_begun(const PartitionBoard<Atomics>& board, std::uint64_t iteration) {
  // ORDER board.started: acquire here, release in begin_iteration.
  return board.receiver.started.load(std::memory_order_acquire) == iteration;
}

// Returns whether the unit's place has no data that the receiver has still to take.
template <class Atomics>
bool is_free(const UnitState<Atomics>& unit) {
  // ORDER unit.arrived: acquire here, release in finish_unit; the data has been taken.
  const std::uint64_t state = unit.word.load(std::memory_order_acquire);
  return state == 0 || (state & 3) == 3;
}

template <class Atomics>
void publish_unit(UnitState<Atomics>& unit, std::uint64_t iteration) {
  // ORDER unit.ready: release here, acquire in claim_unit; the data.
  unit.word.store(unit_ready(iteration), std::memory_order_release);
}

// Claims a unit that nobody knows to be ready.
template <class Atomics>
void keep_unit(UnitState<Atomics>& unit, std::uint64_t iteration) {
  // relaxed: nobody does anything about it before finish_unit.
  unit.word.store(unit_claimed(iteration), std::memory_order_relaxed);
}

// Changes the state of a unit that is not ready yet, where units may be withdrawn; false: this one
// is. The next two publish and keep a unit by it.
template <class Atomics>
bool advance_unit(UnitState<Atomics>& unit, std::uint64_t iteration, std::uint64_t state) {
  // relaxed: until it is ready only a withdrawal changes it.
  std::uint64_t seen = unit.word.load(std::memory_order_relaxed);
  // ORDER unit.ready: release here, acquire in claim_unit; the data.
  return seen != unit_withdrawn(iteration) &&
         unit.word.compare_exchange_strong(seen, state, std::memory_order_release,
                                           std::memory_order_relaxed);
}
template <class Atomics>
bool publish_if_wanted(UnitState<Atomics>& unit, std::uint64_t iteration) {
  return advance_unit(unit, iteration, unit_ready(iteration));
}
template <class Atomics>
bool keep_if_wanted(UnitState<Atomics>& unit, std::uint64_t iteration) {
  return advance_unit(unit, iteration, unit_claimed(iteration));
}

// Returns whether the unit is published, or further on.
template <class Atomics>
bool has_left(const UnitState<Atomics>& unit, std::uint64_t iteration) {
  // ORDER unit.ready: acquire here, release in publish_unit; another thread has read the buffer,
  // which may be written again.
  return unit.word.load(std::memory_order_acquire) >= unit_ready(iteration);
}

// --- for both

template <class Atomics>
bool is_ready(const UnitState<Atomics>& unit, std::uint64_t iteration) {
  // relaxed: a look; who wants the unit claims it.
  return unit.word.load(std::memory_order_relaxed) == unit_ready(iteration);
}

template <class Atomics>
bool claim_unit(UnitState<Atomics>& unit, std::uint64_t iteration) {
  if (!is_ready(unit, iteration)) return false;
  std::uint64_t expected = unit_ready(iteration);
  // ORDER unit.ready: acquire here, release in publish_unit; the data.
  return unit.word.compare_exchange_strong(expected, unit_claimed(iteration),
                                           std::memory_order_acquire, std::memory_order_relaxed);
}

// Withdraws a unit unless its data has arrived. False: somebody moves it; try again.
template <class Atomics>
bool withdraw_unit(UnitState<Atomics>& unit, std::uint64_t iteration) {
  // ORDER unit.arrived: acquire here, release in finish_unit; the data is where it belongs.
  std::uint64_t seen = unit.word.load(std::memory_order_acquire);
  if (seen == unit_withdrawn(iteration) || seen >= unit_arrived(iteration)) return true;
  return seen != unit_claimed(iteration) &&
         unit.word.compare_exchange_strong(seen, unit_withdrawn(iteration),
                                           std::memory_order_relaxed, std::memory_order_relaxed);
}

template <class Atomics>
void finish_unit(UnitState<Atomics>& unit, std::uint64_t iteration) {
  // ORDER unit.arrived: release here, acquire in has_arrived and is_free; the data is where it
  // belongs, and the place it came from may be written.
  unit.word.store(unit_arrived(iteration), std::memory_order_release);
}

// Whoever is behind may see the state of a later iteration, which begins when this one is over.
template <class Atomics>
bool has_arrived(const UnitState<Atomics>& unit, std::uint64_t iteration) {
  // ORDER unit.arrived: acquire here, release in finish_unit. What the next iteration stores
  // follows that in the sender, by its own acquire.
  return unit.word.load(std::memory_order_acquire) >= unit_arrived(iteration);
}

}  // namespace baton::lockfree
