// The lines of the rendezvous between processes of one node, beside eager ones.
#pragma once

#include "lockfree/staging.hpp"
#include "message/core/peer.hpp"

namespace baton::message {

using lockfree::NextOwner;

enum class NodeLine : unsigned {
  rts = static_cast<unsigned>(LineKind::first_of_protocol),  // an envelope
  cts,             // receiver to sender: stream the offered buffer to me
  staging_buffer,  // sender to receiver: the chunks of staging that a stream goes through
  transferred,     // an envelope; the payload lies in a staging buffer, now the receiver's
  pushed,          // an envelope; the payload goes straight into the receive that was advertised
  lane,  // the last in a shared ring: from now on the sender's lines come in a lane of its own
  device_sent,  // sender to receiver: a stream was copied to its receiver's device memory instead
};

inline constexpr std::int32_t no_slot = -1;

struct RtsLine {
  std::uint64_t address;
  std::int64_t bytes;
  std::int32_t slot;               // no_slot when staging holds all: nothing stays with the sender
  std::uint32_t early_bytes : 27;  // so much of the message is being written into staging
  std::uint32_t keeps_buffer : 1;  // the rest may go through the same staging buffer
  std::uint32_t for_staging : 1;   // without early bytes: there was no space for them
  std::uint32_t contiguous : 1;
  std::uint32_t exported : 1;  // one of its buffers, as far as the sender knows
  std::uint32_t device : 1;    // it lies in device memory that the receiver may open
  lockfree::StagingSpan span;  // of device memory it is empty, and see device_span
};
static_assert(sizeof(RtsLine) <= lockfree::first_line_payload_bytes);
struct TransferredLine {
  std::int64_t bytes;
  lockfree::StagingSpan span;
};
struct CtsLine {
  std::int64_t limit;  // bytes the receiver wants
  std::uint32_t slot;
  std::uint32_t stream;
  bool buffer_kept;  // the stream goes on through the staging buffer of the early bytes
  // Device memory of the receiver's that the sender had better copy to from `position` on: where
  // the allocation is published (transport/move/device_copy.hpp), and where that position lies. 0:
  // none.
  std::uint64_t device_export;
  std::uint64_t address;
  std::int64_t position;
};
static_assert(sizeof(CtsLine) <= lockfree::first_line_payload_bytes);
struct StagingBufferLine {
  lockfree::StagingSpan span;
  std::uint32_t stream;
};
struct DeviceSentLine {
  std::uint32_t stream;
};
struct PushedLine {
  std::uint64_t advert;   // its number
  std::uint64_t address;  // the sender's buffer
  std::int64_t bytes;
  std::int32_t slot;           // of an offered message that both sides copy; no_slot: all is there
  std::uint32_t exported : 1;  // see RtsLine
  std::uint32_t mapped : 1;    // plain copies
  std::int64_t took_ticks;     // that the sender needed, if all is there
};
static_assert(sizeof(PushedLine) <= lockfree::first_line_payload_bytes);

}  // namespace baton::message
