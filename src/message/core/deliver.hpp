// Delivery: a message has met its receive. Called by arrivals, receives, and protocols.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// Fills in what the message says; returns the error of a buffer too short for it.
Error settle_envelope(Request& receive, std::int32_t source, std::int32_t tag, std::int64_t bytes);
// An offered message has come, and its line is dropped: it meets its receive, or is kept with so
// many bytes of it.
void match_or_keep(UnexpectedMessage& unexpected, std::int64_t kept_bytes);
// Hands a message that a receive has matched to it; frees what was kept of it. False when it
// had been withdrawn: the receive is as before.
bool deliver(UnexpectedMessage& unexpected, Request& receive);
// Delivers a message that has `receive` set later, by a thread that holds no lock, so that others
// make progress meanwhile.
void deliver_later(UnexpectedMessage& unexpected);
// Before a receive is matched by others than the sender it was made known to, or cancelled; false
// when that sender has claimed it.
bool close_advert(Request& receive);
// Returns whether a receive may be taken back at once; if not, the sender it was made known to is
// asked, whose answer ends it.
bool may_take_back(Request& receive);

// Copies long messages that have met their receives, without any lock, so that other threads make
// progress meanwhile. Whoever has made progress among several threads calls it behind that.
void make_copies();
inline bool has_copies() {
  return platform::load_shared(engine.copy_count) != 0;
}

}  // namespace baton::message
