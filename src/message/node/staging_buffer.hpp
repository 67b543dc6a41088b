// A position in the staging buffer of a stream, which goes through its chunks in turns. Used by
// both sides of a stream.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// Return in whose staging a span lies, of a message to a peer or from it.
inline transport::Slot owner_in_send(const lockfree::StagingSpan& span, const Peer& receiver) {
  return span.at_sender ? receiver.slot.own() : receiver.slot;
}
inline transport::Slot owner_in_receive(const lockfree::StagingSpan& span, const Peer& sender) {
  return span.at_sender ? sender.slot : sender.slot.own();
}

// Returns whether a place in a staging buffer's progress is one that messages have gone through
// before. Where not, the first access to each page costs more than the copy, and time is no measure
// of it. (Staging buffers from the pool are opened anew each time, so that nothing is known of
// them.)
inline bool is_touched(const lockfree::StagingSpan& span, std::int64_t place) {
  return span.next_owner == lockfree::NextOwner::pool || place >= span.buffer.bytes();
}

class StagingBufferCursor {
 public:
  // `owner`: whose staging it is. `position`: of the message.
  StagingBufferCursor(transport::Slot owner, const lockfree::StagingSpan& span,
                      std::int64_t position)
      : owner_(owner), buffer_(span.buffer), count_(buffer_.count()) {
    position += span.shift;
    index_ = static_cast<int>(position / chunk_bytes % count_);
    offset_ = position % chunk_bytes;
    find_chunk();
  }
  char* here() const { return chunk_ + offset_; }
  // How many bytes lie together from here.
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
  void find_chunk() { chunk_ = transport::chunk(owner_, buffer_.chunk(index_)); }
  transport::Slot owner_;
  lockfree::StagingBuffer buffer_;
  int count_;
  int index_;
  std::int64_t offset_;
  char* chunk_;
};

}  // namespace baton::message
