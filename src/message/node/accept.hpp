// How offered data is received: by one copy, by both sides' copies, or as a stream. Used by the
// rendezvous and by what senders push.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// The receiver's side of an offered message it has claimed: copies, or asks for a stream. `accept`
// of the protocol.
void accept_rts(UnexpectedMessage& unexpected, Request& receive);
// The receiver's side of a pushed message that both sides copy.
void accept_pushed(const PushedLine& line, Request& receive);

}  // namespace baton::message
