// A slot stream carries segments from one rank to another, through a few slots in memory that both
// reach: one fills them in turns, the other empties them behind it. window/stream_slots.hpp uses
// it. Invariant: no more segments are filled than are emptied plus the slots; each side writes its
// own line.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"

namespace baton::lockfree {

template <class Atomics>
struct SlotStream {
  struct alignas(cache_line_bytes) Line {
    typename Atomics::template Atomic<std::uint32_t> segments;  // since the stream was begun
  };
  Line filled, emptied;
};

// Resets the stream. The rank that offers it calls this before the other side is told of it.
template <class Atomics>
void begin_stream(SlotStream<Atomics>& stream) {
  // relaxed: the message that tells of the stream orders this.
  stream.filled.segments.store(0, std::memory_order_relaxed);
  stream.emptied.segments.store(0, std::memory_order_relaxed);
}

// These tell whether the segment of a number may be filled in, or emptied.
template <class Atomics>
bool may_fill(const SlotStream<Atomics>& stream, std::uint32_t segment, std::uint32_t slots) {
  // ORDER slot_stream.emptied: acquire here, release in note_emptied; the slot was read.
  return segment - stream.emptied.segments.load(std::memory_order_acquire) < slots;
}
template <class Atomics>
bool may_empty(const SlotStream<Atomics>& stream, std::uint32_t segment) {
  // ORDER slot_stream.filled: acquire here, release in note_filled; the slot was written.
  return segment != stream.filled.segments.load(std::memory_order_acquire);
}

// These note that all segments up to this one are filled, or emptied.
template <class Atomics>
void note_filled(SlotStream<Atomics>& stream, std::uint32_t segment) {
  // ORDER slot_stream.filled: release here, acquire in may_empty.
  stream.filled.segments.store(segment + 1, std::memory_order_release);
}
template <class Atomics>
void note_emptied(SlotStream<Atomics>& stream, std::uint32_t segment) {
  // ORDER slot_stream.emptied: release here, acquire in may_fill.
  stream.emptied.segments.store(segment + 1, std::memory_order_release);
}

}  // namespace baton::lockfree
