// Taking back between nodes: a send or a receive that is to be cancelled, and adverts that their
// sender cannot use. Used by the network's protocol.
#pragma once

#include "message/network/remote_peer.hpp"

namespace baton::message {

// Makes this process answer those who want to cancel a send or receive, and hear answers. At start.
void begin_cancelling();
// MPI_Cancel of a send whose envelope has left, or of a receive that its sender knows: asks the
// other to give it back. The request ends when that says so, or with the message.
void ask_to_cancel(Request& send);
void ask_to_withdraw(Request& receive);

}  // namespace baton::message
