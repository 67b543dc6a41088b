// The parts of its receivers' staging that a sender holds: staging buffers that it takes from the
// pool for a stream, a lease that it keeps for a term, and staging buffers that change hands with
// messages (docs/decisions/leases.md). Used by the sender's side of streams (stream_out.cpp). All
// under the peer's send lock, unless it is said.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// --- staging buffers
// Up to `wanted` chunks; empty when none is free.
lockfree::StagingBuffer take_staging_buffer(NodePeer& peer, int wanted);
// Gives one back, as its holder or its receiver. Any thread.
void give_back_staging_buffer(transport::Slot owner, lockfree::StagingBuffer buffer);
// Takes back what a peer that is lost holds of our staging, once nothing of it is awaited any more.
void take_back_staging(NodePeer& gone);
// How far the receiver has emptied a staging buffer. Any thread.
std::int64_t emptied_by(const NodePeer& peer, lockfree::StagingBuffer buffer);
// Makes sure that the chunks of a span have memory, as far as [position, end) of a message goes.
bool has_memory(NodePeer& peer, const lockfree::StagingSpan& span, std::int64_t position,
                std::int64_t end);

// --- the lease
// Gets one if chunks are plenty: every peer may have one in a small job; in a large one they take
// turns.
void get_lease(NodePeer& peer);
// Counts a message of a term. At its end nothing more goes into a lease that another sender wants;
// it goes back once all in it has been taken out.
void end_term(NodePeer& peer);
// Returns whether no stream goes on in it.
bool lease_is_free(Lease& lease);
// Returns whether streams may go on in it: it is no longer than a staging buffer that they take.
bool carries_streams(const Lease& lease);
// Space as far as we remember, or else as it is.
std::int64_t space_in(NodePeer& peer, std::int64_t wanted);
// Early parts stay in the beginning of the staging buffer, those of longer messages in no more than
// a stream gets: what does not fit there goes to the beginning of the next turn.
void wrap_early(Lease& lease, std::int64_t wanted);
void place_in_lease(NodePeer& peer, Request& send);
// It goes on after what the send has put there, in a new line.
void move_lease(NodePeer& peer, const Request& send, std::int64_t end);
// Returns whether the rest of a send may go through the lease, where its early bytes are.
bool holds_lease(NodePeer& peer, const Request& send);
// The send is over, or its stream is: others may use the peer's lease. Any thread.
void let_lease_go(Request& send);

}  // namespace baton::message
