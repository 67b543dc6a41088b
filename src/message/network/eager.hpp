// Eager messages over the network: all of the message goes in the packet of its envelope. Used by
// the network's protocol.
#pragma once

#include "message/network/remote_peer.hpp"

namespace baton::message {

// How long a send may be to go so.
std::int64_t network_eager_bytes_max(const Request& send);
// Puts a send; false when there is no space on the way. Under the send lock.
bool put_eager(RemotePeer& peer, Request& send);

// At the end.
void forget_eager_sends();

}  // namespace baton::message
