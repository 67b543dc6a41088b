// The rendezvous within a node, step by step: what a request puts on its way, what an envelope does
// where it arrives, and how its data is received. Used by the node's protocol.
#pragma once

#include "message/node/node_protocol.hpp"

namespace baton::message {

// `put` of the protocol.
bool put_request(NodePeer& peer, Request& request);
// An envelope has come.
void arrive_rts(ArrivedLine& message);
// `accept` of the protocol: copies, or asks for a stream.
void accept_rts(UnexpectedMessage& unexpected, Request& receive);
// The receiver's side of a pushed message that both sides copy.
void accept_pushed(const PushedLine& line, Request& receive);

}  // namespace baton::message
