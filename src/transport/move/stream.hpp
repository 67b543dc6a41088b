// A stream carries bytes from one process of a node to another through a staging buffer
// (lockfree/staging.hpp): one side fills the buffer in turns, the other empties it behind, and each
// publishes how far it is. Messages (message/node/stream_out.hpp, stream_in.hpp) and long one-sided
// operations (window/stream.hpp) go this way. How long a side waits for the other is the caller's
// affair. Invariant: no more is filled than was emptied and the buffer holds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lockfree/staging.hpp"
#include "platform/copy.hpp"
#include "transport/node.hpp"

namespace baton::transport {

// This says where the bytes of a stream lie: a position of them is at `shift` more in the progress
// of the buffer, which lies in the owner's staging.
struct Staging {
  Slot owner;
  lockfree::StagingBuffer buffer;
  std::int64_t shift = 0;

  Progress& progress() const { return staging_progress(owner, buffer); }
  // Return the position up to which bytes were filled, or emptied, when last published.
  std::int64_t filled() const {
    return static_cast<std::int64_t>(lockfree::filled_bytes(progress())) - shift;
  }
  std::int64_t emptied() const {
    return static_cast<std::int64_t>(lockfree::emptied_bytes(progress())) - shift;
  }
  void publish_filled(std::int64_t position) const {
    lockfree::publish_filled(progress(), static_cast<std::uint64_t>(position + shift));
  }
  void publish_emptied(std::int64_t position) const {
    lockfree::publish_emptied(progress(), static_cast<std::uint64_t>(position + shift));
  }
};

// This is a position in a staging buffer, which is gone through chunk by chunk, in turns.
class StagingCursor {
 public:
  StagingCursor(const Staging& staging, std::int64_t position)
      : owner_(staging.owner), buffer_(staging.buffer), count_(buffer_.count()) {
    position += staging.shift;
    index_ = static_cast<int>(position / chunk_bytes % count_);
    offset_ = position % chunk_bytes;
    find_chunk();
  }
  char* here() const { return chunk_ + offset_; }
  // Returns how many bytes lie together from here.
  std::int64_t together() const { return chunk_bytes - offset_; }
  // Goes on by at most that many.
  void advance(std::int64_t bytes) {
    offset_ += bytes;
    if (offset_ < chunk_bytes) return;
    offset_ = 0;
    if (++index_ == count_) index_ = 0;
    find_chunk();
  }
  bool at_chunk_start() const { return offset_ == 0; }

 private:
  static constexpr std::int64_t chunk_bytes = lockfree::chunk_bytes;
  void find_chunk() { chunk_ = chunk(owner_, buffer_.chunk(index_)); }
  Slot owner_;
  lockfree::StagingBuffer buffer_;
  int count_;
  int index_;
  std::int64_t offset_;
  char* chunk_;
};

// Fills the bytes from `position` up to `end`, for which there is space, and publishes them
// `publish_bytes` at a time. Lines are fetched, from the process that has read them last, up to
// `fetch_bytes` ahead of that. `pack(position, to, bytes)` writes the bytes.
template <class Pack>
void fill_through_cache(const Staging& staging, std::int64_t position, std::int64_t end,
                        std::int64_t publish_bytes, std::int64_t fetch_bytes, Pack pack) {
  StagingCursor cursor(staging, position);
  StagingCursor fetch = cursor;
  std::int64_t fetched = position;
  while (position < end) {
    const std::int64_t segment = std::min(publish_bytes, end - position);
    const std::int64_t ahead =
        fetch_bytes ? std::min(end, position + segment + fetch_bytes) : fetched;
    for (; fetched < ahead; fetched += cache_line_bytes, fetch.advance(cache_line_bytes))
      platform::prefetch_for_write(fetch.here());
    for (std::int64_t done = 0; done < segment;) {
      const std::int64_t part = std::min(segment - done, cursor.together());
      pack(position + done, cursor.here(), part);
      cursor.advance(part);
      done += part;
    }
    position += segment;
    staging.publish_filled(position);
  }
}

// Does the same with a run of bytes, by stores that leave no line in this core's cache. The
// position lies at a line's beginning.
inline void fill_around_cache(const Staging& staging, std::int64_t position, std::int64_t end,
                              const char* run) {
  constexpr std::int64_t publish_bytes = 4096;  // guess: each ends with a fence
  StagingCursor cursor(staging, position);
  while (position < end) {
    const std::int64_t segment = std::min({publish_bytes, end - position, cursor.together()});
    platform::copy_around_cache(cursor.here(), run + position, static_cast<std::size_t>(segment));
    platform::end_around_cache();
    cursor.advance(segment);
    position += segment;
    staging.publish_filled(position);
  }
}

// These say of the emptying side what a stream does not show.
enum class Emptied : std::uint8_t {
  published,  // after each chunk, and at the end
  kept        // the buffer is this side's from now on, so that nobody waits for it
};

// Empties the bytes from `position` up to `end` as they come: calls `take(from, bytes)` for what
// has come, and `wait()` where nothing has. It ends early when either returns false. Returns the
// new position. `filled`: all of it was there before this side heard of it.
template <class Take, class Wait>
std::int64_t empty(const Staging& staging, std::int64_t position, std::int64_t end, bool filled,
                   Emptied emptied, Take take, Wait wait) {
  StagingCursor cursor(staging, position);
  while (position < end) {
    const std::int64_t there = filled ? end : std::min(staging.filled(), end);
    if (there <= position) {
      if (!wait()) break;
      continue;
    }
    while (position < there) {
      const std::int64_t segment = std::min(there - position, cursor.together());
      if (!take(cursor.here(), segment)) return position;
      position += segment;
      cursor.advance(segment);
      if (emptied == Emptied::published && (cursor.at_chunk_start() || position == end))
        staging.publish_emptied(position);
    }
  }
  return position;
}

}  // namespace baton::transport
