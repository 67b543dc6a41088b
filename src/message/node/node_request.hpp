// The parts that the node's protocol keeps of a request, and of a message that was offered before
// its receive came. Used by the files of this folder and the deposit models.
#pragma once

#include "lockfree/staging.hpp"
#include "message/core/match.hpp"
#include "message/core/request.hpp"

namespace baton::message {

// An empty span may say where device memory is published (transport/move/device_copy.hpp).
inline lockfree::StagingSpan device_span(std::uint64_t published) {
  lockfree::StagingSpan span;
  span.shift = static_cast<std::int64_t>(published);
  return span;
}
inline std::uint64_t device_export_of(const lockfree::StagingSpan& span) {
  return static_cast<std::uint64_t>(span.shift);
}

struct NodeRequest {
  bool for_staging;    // an offered message that was to go through staging
  bool new_buffer;     // its stream goes on in another staging buffer than its early bytes
  bool asked;          // an offered message whose receiver has asked for a stream, and pulls it now
  bool listed;         // a stream in: among those that go on
  bool filling;        // an offered message's early bytes are being written; its stream must wait
  bool exported;       // the sender's buffer is
  bool by_device;      // the device may copy it: a send from its memory, a stream into it
  std::uint8_t waits;  // how often it found no space in staging, or no beginning of a stream
  std::uint32_t slot;  // the entry: our own (sends), or the matched one (receives)
  std::uint32_t stream;          // the receiver's number of it
  std::int64_t limit;            // of a stream: how many bytes move
  std::int64_t device_position;  // of one for a device: where it begins
  lockfree::StagingSpan span;    // of a stream; one for a device is empty (device_span)
  std::uint64_t source_address;  // of a stream in that may still be pulled; else 0
  std::int64_t started_ticks;    // of a staged receive whose time is observed; else 0
  std::int64_t copy_ticks;       // that went into its own copies (copy_time.hpp)
  std::int64_t before_ticks;     // and into all, when it started
  union {
    std::int64_t emptied;     // of a stream out: how far its receiver was when we last looked
    std::uint32_t entry_use;  // of a stream in that may still be pulled
  };
};

struct NodeUnexpected {
  bool sender_contiguous : 1;
  bool exported : 1;  // see RtsLine
  bool keeps_buffer : 1;
  bool for_staging : 1;
  bool device : 1;    // see RtsLine
  std::int32_t slot;  // of the sender; no_slot: the early bytes are all of it
  std::uint64_t address;
  // The beginning, sent before it was matched: still in staging, or (the span is empty) copied
  // behind the message's head.
  std::int64_t early_bytes;
  lockfree::StagingSpan span;
  // This is where device memory is published.
  std::uint64_t device_export() const { return device_export_of(span); }
};

inline NodeRequest& node_part(Request& request) {
  return request.part.as<NodeRequest>();
}
inline const NodeRequest& node_part(const Request& request) {
  return request.part.as<NodeRequest>();
}
inline NodeUnexpected& node_part(UnexpectedMessage& unexpected) {
  return unexpected.part.as<NodeUnexpected>();
}
inline const NodeUnexpected& node_part(const UnexpectedMessage& unexpected) {
  return unexpected.part.as<NodeUnexpected>();
}

}  // namespace baton::message
