// These are the two sides of a stream that carries the data of a long operation
// (transport/move/stream.hpp), and of a copy by the kernel that both ranks do. The origin does one
// side, and the target the other, as delegated work (window/stream.hpp). Invariant: the staging
// buffer is the origin's, in its own staging.
#pragma once

#include <algorithm>

#include "transport/move/stream.hpp"
#include "window/stream_choice.hpp"
#include "window/window.hpp"
#include "window/work.hpp"

namespace baton::window {

// This is one side of a stream that moves the bytes of the work.
class StreamSide {
 public:
  // `other`: the rank of the other side.
  StreamSide(Work& work, LocalRank origin, LocalRank other)
      : work_(work), staging_{origin, work.stream.buffer}, other_(other) {}

  void fill(const char* from);

  // Calls `take(bytes_there, position, bytes)` for what the other side has filled. If `take`
  // returns false, it has failed, and the stream ends.
  template <class Take>
  void empty(Take take) {
    std::int64_t position = 0;
    int looks = 0;
    transport::empty(
        staging_, 0, bytes(), false, transport::Emptied::published,
        [&](const char* there, std::int64_t here) {
          if (!take(there, position, here)) return false;
          position += here;
          looks = 0;
          return true;
        },
        [&] { return wait(&looks) || staging_.filled() > position; });
  }

  // Calls `copy(position, bytes)`, which copies by the kernel, as long as there are segments that
  // nobody has claimed. Returns false from `copy` if it fails: that segment is then left.
  template <class Copy>
  void copy_by_kernel(Copy copy) {
    const auto step = static_cast<std::uint64_t>(work_.stream.copied_bytes);
    for (;;) {
      // relaxed: it says only which rank has a segment.
      const std::uint64_t start = work_.claimed.fetch_add(step, std::memory_order_relaxed);
      if (start >= work_.first.bytes) return;
      const WorkRange segment{start, std::min(step, work_.first.bytes - start)};
      if (copy(static_cast<std::int64_t>(start), static_cast<std::int64_t>(segment.bytes)))
        continue;
      work_.left = segment;
      return;
    }
  }

 private:
  std::int64_t bytes() const { return static_cast<std::int64_t>(work_.first.bytes); }
  // Waits a moment. Returns false once the other side has ended the work early, or died.
  bool wait(int* looks) const;

  Work& work_;
  transport::Staging staging_;
  LocalRank other_;
};

// This is what a rank has for streams, as an origin.
class Streams {
 public:
  // Returns the staging buffer for this rank's streams, taken when first needed; empty: none is
  // free now, or there is no memory.
  lockfree::StagingBuffer own_buffer();
  // Returns the measurements of this rank's streams with a rank of the node; null: no memory.
  StreamChoices* choices_of(LocalRank rank);
  // Gives all back, when no window needs it any more.
  void free();

 private:
  lockfree::StagingBuffer buffer_;
  StreamChoices** choices_ = nullptr;  // by local rank; null where there was no stream
};

// Does the target's side; its memory was checked.
void stream_for(Work& work, LocalRank asker, Window& window);

}  // namespace baton::window
