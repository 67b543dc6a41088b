// What happens to a message whose first line has come, in a peer's lane or in an inbox: it meets
// its receive, or is kept. Called by the progress loop and by the protocols of this layer.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// Takes in what has come through an inbox; whether anything had. `shared`: the account of all its
// senders together; null: each has its own. `notice` (or null) hears of each line before it is
// taken in. Under the progress lock.
bool poll_inbox(transport::Inbox& inbox, Account* shared, void (*notice)(Peer&, unsigned kind));

// --- for protocols
// An unexpected message of a peer, with room for so many bytes of it; ends the job without memory.
// It is counted as unexpected by who keeps it.
UnexpectedMessage& make_unexpected(Peer& peer, Account& account, std::int32_t source,
                                   lockfree::Envelope envelope, std::int64_t payload_bytes);
// The queue of a context; ends the job without memory.
MatchQueue& queue_of(std::uint32_t context);
// Fills in what the message says; returns the error of a buffer too short for it.
Error settle_envelope(Request& receive, std::int32_t source, std::int32_t tag, std::int64_t bytes);
// So many bytes more of an unexpected message are kept. Beyond the bound its senders are asked to
// send envelopes only; below half of it, anything again.
void account_unexpected(UnexpectedMessage& unexpected, std::int64_t bytes);
// Frees it with all that was kept.
void drop_unexpected(UnexpectedMessage& unexpected);
// An offered message has come, and its line is dropped: it meets its receive, or is kept with so many
// bytes of it.
void match_or_keep(UnexpectedMessage& unexpected, std::int64_t kept_bytes);
// Hands a message that a receive has matched to it; frees what was kept of it. False when its offer
// had been withdrawn: the receive is as before.
bool deliver(UnexpectedMessage& unexpected, Request& receive);
// The same for one that has `receive` set, by who holds no lock, so that other threads make
// progress meanwhile.
void deliver_later(UnexpectedMessage& unexpected);
// Before a receive is matched by others than the sender it was made known to, or cancelled; false
// when that sender has claimed it.
bool close_advert(Request& receive);

}  // namespace baton::message
