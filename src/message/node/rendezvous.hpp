// The rendezvous within a node, step by step: what a request puts on its way, and what an envelope
// does where it arrives. Used by the node's protocol.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// `put` of the protocol.
bool put_request(NodePeer& peer, Request& request);
// An envelope has come.
void arrive_rts(ArrivedLine& message);

}  // namespace baton::message
