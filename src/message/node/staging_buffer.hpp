// The staging buffers of messages: in whose staging they lie, and whether it is warm. Used by both
// sides of a stream.
#pragma once

#include "message/node/node_messages.hpp"
#include "transport/move/stream.hpp"

namespace baton::message {

// Return where a span lies, of a message to a peer or from it.
inline transport::Staging staging_of_send(const lockfree::StagingSpan& span, const Peer& receiver) {
  return {span.at_sender ? receiver.slot.own() : receiver.slot, span.buffer, span.shift};
}
inline transport::Staging staging_of_receive(const lockfree::StagingSpan& span,
                                             const Peer& sender) {
  return {span.at_sender ? sender.slot : sender.slot.own(), span.buffer, span.shift};
}

// Returns whether a place in a staging buffer's progress is one that messages have gone through
// before. Where not, the first access to each page costs more than the copy, and time is no measure
// of it. (Staging buffers from the pool are opened anew each time, so that nothing is known of
// them.)
inline bool is_touched(const lockfree::StagingSpan& span, std::int64_t place) {
  return span.next_owner == lockfree::NextOwner::pool || place >= span.buffer.bytes();
}

}  // namespace baton::message
