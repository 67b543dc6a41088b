// Staging: a receiver's pool of chunks that all senders share, for messages longer than a ring
// takes. A sender takes a chunk, names it in its ring, fills it piece by piece and publishes how
// far it is; the receiver copies behind it and gives the chunk back. Invariant: a chunk's bit is
// clear from the sender's take until the receiver's give_back.
#pragma once

#include <bit>
#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/job.hpp"

namespace baton::lockfree {

inline constexpr int no_chunk = -1;

template <class Atomics>
struct alignas(cache_line_bytes) ProgressLine {  // written by the sender that holds the chunk
  typename Atomics::template Atomic<std::uint64_t> bytes;
};
static_assert(sizeof(ProgressLine<Hardware>) == cache_line_bytes);

// Takes the lowest free chunk, so that the ones in use stay few and in cache; no_chunk when all are
// taken, which is an outcome.
template <class Atomic>
int take_chunk(Atomic& free) {
  // relaxed: only a guess for the compare-and-swap.
  std::uint64_t seen = free.load(std::memory_order_relaxed);
  while (seen != 0) {
    std::uint64_t lowest = seen & (~seen + 1);
    // ORDER chunk.free: acquire here, release in give_back_chunk; the receiver's reads are over.
    if (free.compare_exchange_weak(seen, seen & ~lowest, std::memory_order_acquire,
                                   std::memory_order_relaxed))
      return std::countr_zero(lowest);
  }
  return no_chunk;
}

// Whether more than half of the chunks are free: then some may be filled before they are asked for.
template <class Atomic>
bool chunks_are_plenty(const Atomic& free) {
  // relaxed: a guess; take_chunk decides.
  return std::popcount(free.load(std::memory_order_relaxed)) > chunks_per_rank / 2;
}

template <class Atomic>
void give_back_chunk(Atomic& free, int chunk) {
  // ORDER chunk.free: release here, acquire in take_chunk.
  free.fetch_or(std::uint64_t{1} << chunk, std::memory_order_release);
}

// The sender: before it names the chunk in its ring.
template <class Atomics>
void open_chunk(ProgressLine<Atomics>& progress) {
  // relaxed: the ring line that names the chunk is published afterwards.
  progress.bytes.store(0, std::memory_order_relaxed);
}
template <class Atomics>
void publish_filled(ProgressLine<Atomics>& progress, std::uint64_t bytes) {
  // ORDER chunk.filled: release here, acquire in filled_bytes; that many bytes are readable.
  progress.bytes.store(bytes, std::memory_order_release);
}
template <class Atomics>
std::uint64_t filled_bytes(const ProgressLine<Atomics>& progress) {
  // ORDER chunk.filled: acquire here, release in publish_filled.
  return progress.bytes.load(std::memory_order_acquire);
}

}  // namespace baton::lockfree
