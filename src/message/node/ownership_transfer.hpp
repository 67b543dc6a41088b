// Staging buffers whose ownership passes to the receiver with a message: it writes its next one to
// the same rank where it has read, in lines that its core still has. Messages that fit go through
// them as their early bytes (stream_out.cpp); those of the ring that are not short go whole, and
// are complete before their line goes (docs/decisions/ownership-transfer.md).
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// Sets how long a message may be that enters the ring at once (Peer::at_once_bytes_max): longer
// ones are for a buffer that we hold or may get. The send lock is held.
void set_at_once_bytes_max(NodePeer& peer);
// Gets one more, once. The send lock is held.
void get_transferable(NodePeer& peer);
// Places all of a message in the staging buffer that came last, if there is one, and large enough.
// The send lock is held.
bool place_in_transferred(NodePeer& peer, Request& send);
// Keeps the staging buffer that came with a message: this rank may send with it now. Takes the send
// lock.
void keep_transferred(NodePeer& peer, const lockfree::StagingSpan& span);

// Fills the place of a message that no line has announced yet.
void fill_unannounced(NodePeer& peer, const Request& send);
// Sends a message that the ring would take; false when it is too short for this, or no staging
// buffer is at hand. The send lock is held.
bool put_transferred(NodePeer& peer, Request& send);
// Takes in such a message: it meets its receive, or is kept. Returns whether it was the last that
// was awaited in its context.
bool arrive_transferred(ArrivedLine& message);

}  // namespace baton::message
