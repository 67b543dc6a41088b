// Staging is a receiver's pool of chunks (bounce buffers) that all senders share, for messages
// longer than a ring takes. A sender takes some chunks (a staging buffer), names them in its ring,
// fills them in turns and publishes its progress; the receiver copies behind it, publishes its own
// progress, and gives the chunks back when the message is complete, unless the sender has leased
// them for its next messages. Invariant: a chunk's bit is clear from the sender's take until the
// receiver's give_back.
#pragma once

#include <bit>
#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/job.hpp"

namespace baton::lockfree {

// A staging buffer is the chunks of one stream, by bits; they are used in turns from the lowest.
// The stream's progress is kept with the first.
struct StagingBuffer {
  static constexpr int chunks_max = 32;
  std::uint64_t chunks = 0;
  bool empty() const { return chunks == 0; }
  std::uint32_t first() const { return static_cast<std::uint32_t>(std::countr_zero(chunks)); }
  int count() const { return std::popcount(chunks); }
  // Returns the chunk that is used as the index'th of a turn.
  std::uint32_t chunk(int index) const {
    std::uint64_t left = chunks;
    if (static_cast<int>(std::bit_width(left)) - std::countr_zero(left) ==
        count())  // the chunks lie together
      return first() + static_cast<std::uint32_t>(index);
    while (index-- > 0) left &= left - 1;
    return static_cast<std::uint32_t>(std::countr_zero(left));
  }
  std::int64_t bytes() const { return count() * static_cast<std::int64_t>(chunk_bytes); }
};

// There is one rule of ownership: a staging buffer has one owner at a time, who alone may name it
// in a line, and the line says who owns it once its message has been taken out.
enum class NextOwner : std::uint8_t {
  pool,      // its receiver gives the chunks back, for any sender
  sender,    // a lease: for a term, and as long as no other sender waits for chunks
  receiver,  // which sends its next message with it (ownership transfer)
};

// This says where a message goes through staging.
struct StagingSpan {
  StagingBuffer buffer;
  std::int64_t shift = 0;  // a position in the staging buffer's progress minus that in the message
  NextOwner next_owner = NextOwner::pool;
  bool at_sender = false;  // in the sender's staging; else in the receiver's
  bool filled = false;     // all of the message was there before the line that says this
  bool empty() const { return buffer.empty(); }
};

template <class Atomics>
struct Progress {
  struct alignas(cache_line_bytes) FilledLine {  // written by the sender that holds the chunk
    typename Atomics::template Atomic<std::uint64_t> bytes;
    typename Atomics::template Atomic<std::uint64_t> took_ticks;  // for early bytes, last time
  } filled;
  struct alignas(cache_line_bytes) EmptiedLine {  // written by the receiver, once opened
    typename Atomics::template Atomic<std::uint64_t> bytes;
    // Who holds the staging buffer, as a number of the caller's that is not 0, and its chunks.
    typename Atomics::template Atomic<std::uint64_t> holder, chunks;
  } emptied;
};
static_assert(sizeof(Progress<Hardware>) == progress_bytes);

// Takes up to `wanted` chunks, the lowest that are free, so that the ones in use stay few and in
// cache. The staging buffer is empty when all are taken, which is a normal outcome.
template <class Atomic>
StagingBuffer take_chunks(Atomic& free, int wanted) {
  // relaxed: only a guess for the compare-and-swap.
  std::uint64_t seen = free.load(std::memory_order_relaxed);
  while (seen != 0) {
    std::uint64_t left = seen;
    for (int i = 0; i < wanted && left; ++i) left &= left - 1;
    // ORDER chunk.free: acquire here, release in give_back_chunks; the receiver's reads are over.
    if (free.compare_exchange_weak(seen, left, std::memory_order_acquire,
                                   std::memory_order_relaxed))
      return {seen & ~left};
  }
  return {};
}

// Returns how many chunks are free now.
template <class Atomic>
int free_chunks(const Atomic& free) {
  // relaxed: a guess; take_chunks decides.
  return std::popcount(free.load(std::memory_order_relaxed));
}

template <class Atomic>
void give_back_chunks(Atomic& free, StagingBuffer buffer) {
  // ORDER chunk.free: release here, acquire in take_chunks.
  free.fetch_or(buffer.chunks, std::memory_order_release);
}

// Resets the progress. The sender calls this before it names the staging buffer in its ring.
template <class Atomics>
void open_staging_buffer(Progress<Atomics>& progress) {
  // relaxed: the ring line that names the staging buffer is published afterwards.
  progress.filled.bytes.store(0, std::memory_order_relaxed);
  progress.emptied.bytes.store(0, std::memory_order_relaxed);
  progress.filled.took_ticks.store(0, std::memory_order_relaxed);
}
// These say who holds a staging buffer that begins here, so that the receiver can take it back from
// one that has died. The taker notes itself once it has opened the buffer; whoever gives the chunks
// back says so before. Invariant: a holder that is noted holds these chunks.
template <class Atomics>
void note_holder(Progress<Atomics>& progress, std::uint64_t holder, StagingBuffer buffer) {
  // relaxed, here and below: a death, as it is told, orders them.
  progress.emptied.chunks.store(buffer.chunks, std::memory_order_relaxed);
  progress.emptied.holder.store(holder, std::memory_order_relaxed);
}
template <class Atomics>
void forget_holder(Progress<Atomics>& progress) {
  progress.emptied.holder.store(0, std::memory_order_relaxed);
}
template <class Atomics>
StagingBuffer held_by(const Progress<Atomics>& progress, std::uint64_t holder) {
  if (progress.emptied.holder.load(std::memory_order_relaxed) != holder) return {};
  return {progress.emptied.chunks.load(std::memory_order_relaxed)};
}

// These publish and read how far a side is, in bytes since the staging buffer was opened.
template <class Atomics>
void publish_filled(Progress<Atomics>& progress, std::uint64_t bytes) {
  // ORDER staging_buffer.filled: release here, acquire in filled_bytes; that many bytes are
  // readable.
  progress.filled.bytes.store(bytes, std::memory_order_release);
}
template <class Atomics>
std::uint64_t filled_bytes(const Progress<Atomics>& progress) {
  // ORDER staging_buffer.filled: acquire here, release in publish_filled.
  return progress.filled.bytes.load(std::memory_order_acquire);
}
// These keep how long the sender took lately to fill early bytes. Only adaptive selection
// (message/node/observe.hpp) uses it.
template <class Atomics>
void publish_fill_time(Progress<Atomics>& progress, std::uint64_t ticks) {
  // relaxed: any recent value does.
  progress.filled.took_ticks.store(ticks, std::memory_order_relaxed);
}
template <class Atomics>
std::uint64_t fill_time(const Progress<Atomics>& progress) {
  // relaxed: as above.
  return progress.filled.took_ticks.load(std::memory_order_relaxed);
}
template <class Atomics>
void publish_emptied(Progress<Atomics>& progress, std::uint64_t bytes) {
  // ORDER staging_buffer.emptied: release here, acquire in emptied_bytes; our reads of them are
  // over.
  progress.emptied.bytes.store(bytes, std::memory_order_release);
}
template <class Atomics>
std::uint64_t emptied_bytes(const Progress<Atomics>& progress) {
  // ORDER staging_buffer.emptied: acquire here, release in publish_emptied.
  return progress.emptied.bytes.load(std::memory_order_acquire);
}

}  // namespace baton::lockfree
