// These are the slots that the data of long operations goes through, and the sides of the two ranks
// that fill and empty them (window/stream.hpp). They are used by the origin, and by the target,
// which does its side as delegated work. Invariant: the slots are the origin's, in memory that both
// reach.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "lockfree/slot_stream.hpp"
#include "platform/copy.hpp"
#include "window/stream_choice.hpp"
#include "window/window.hpp"
#include "window/work.hpp"

namespace baton::window {

struct StreamSlots {
  // Guesses: segments of this size stay in the first cache on both sides, and the writer may be
  // some of them ahead.
  static constexpr std::int64_t segment_bytes_max = 1 << 12;
  static constexpr std::uint32_t count = 32;

  lockfree::SlotStream<lockfree::Hardware> progress;
  // These are used where both ranks copy by the kernel: the number of bytes that a rank has claimed
  // to copy, and the part that the target could not copy.
  alignas(cache_line_bytes) std::atomic<std::uint64_t> claimed;
  WorkRange left;
  alignas(cache_line_bytes) char bytes[count][segment_bytes_max];
};

// This is one side of a stream that moves the bytes of the work.
class StreamSide {
 public:
  StreamSide(const Work& work, StreamSlots& its_slots, bool is_origin)
      : work_(work), slots_(its_slots), is_origin_(is_origin) {}

  void fill(const char* from) {
    const bool around = work_.stream.way == StreamWay::around_cache;
    run(
        [&](std::uint32_t segment) {
          return may_fill(slots_.progress, segment, StreamSlots::count);
        },
        [&](std::uint32_t segment, std::int64_t position, std::int64_t bytes) {
          copy_in(segment, from + position, bytes, around);
          note_filled(slots_.progress, segment);
          return true;
        });
  }

  // Calls `copy(position, bytes)`, which copies by the kernel, as long as there are segments that
  // nobody has claimed. Returns false from `copy` if it fails: that segment is then left.
  template <class Copy>
  void copy_by_kernel(Copy copy) {
    const std::uint64_t bytes = work_.first.bytes;
    const auto step = static_cast<std::uint64_t>(work_.stream.segment_bytes);
    for (;;) {
      // relaxed: it says only which rank has a segment.
      const std::uint64_t start = slots_.claimed.fetch_add(step, std::memory_order_relaxed);
      if (start >= bytes) return;
      const WorkRange segment{start, std::min(step, bytes - start)};
      if (copy(static_cast<std::int64_t>(start), static_cast<std::int64_t>(segment.bytes)))
        continue;
      slots_.left = segment;
      return;
    }
  }

  // Calls `take(slot, position, bytes)` for each filled slot. If `take` returns false, it has
  // failed, and the stream ends.
  template <class Take>
  void empty(Take take) {
    run([&](std::uint32_t segment) { return may_empty(slots_.progress, segment); },
        [&](std::uint32_t segment, std::int64_t position, std::int64_t bytes) {
          if (!take(slot(segment), position, bytes)) return false;
          note_emptied(slots_.progress, segment);
          return true;
        });
  }

 private:
  char* slot(std::uint32_t segment) { return slots_.bytes[segment % StreamSlots::count]; }

  void copy_in(std::uint32_t segment, const char* from, std::int64_t bytes, bool around) {
    const auto count = static_cast<std::size_t>(bytes);
    if (around) {
      platform::copy_around_cache(slot(segment), from, count);
      return platform::end_around_cache();
    }
    // The lines of the next slot are fetched from the rank that has read them last.
    for (std::int64_t i = 0; i < bytes; i += cache_line_bytes)
      platform::prefetch_for_write(slot(segment + 1) + i);
    platform::copy_run(slot(segment), from, count);
  }

  // Polls until `ready`, or until the other side has ended the work early.
  template <class Ready>
  bool await(Ready ready) {
    constexpr int pauses_max = 1000;  // guess
    for (int looks = 0; !ready(); ++looks) {
      if (is_origin_ && lockfree::is_done(work_.state)) return ready();
      if (looks < pauses_max)
        platform::pause_cpu();
      else
        platform::yield_cpu();
    }
    return true;
  }

  template <class MayUse, class Use>
  void run(MayUse may_use, Use use) {
    const auto bytes = static_cast<std::int64_t>(work_.first.bytes);
    const std::int64_t step = work_.stream.segment_bytes;
    std::uint32_t segment = 0;
    for (std::int64_t position = 0; position < bytes; position += step, ++segment) {
      if (!await([&] { return may_use(segment); })) return;
      if (!use(segment, position, std::min(step, bytes - position))) return;
    }
  }

  const Work& work_;
  StreamSlots& slots_;
  bool is_origin_;
};

// This is what a rank has for streams, as an origin.
class Streams {
 public:
  // Returns this rank's slots, or the measurements of its streams with a rank of the node; they are
  // made when first needed, and null if there is no memory.
  StreamSlots* own_slots();
  StreamChoices* choices_of(LocalRank rank);
  // Frees all, when no window needs it any more.
  void free();

 private:
  StreamSlots* slots_ = nullptr;
  StreamChoices** choices_ = nullptr;  // by local rank; null where there was no stream
};

// Does the target's side; its memory was checked.
void stream_for(Work& work, LocalRank asker, Window& window);

}  // namespace baton::window
