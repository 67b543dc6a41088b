// Messages from device memory to device memory of another process of the node, which the receiver
// copies from the sender's allocation. The sender offers its data as ever (rendezvous.hpp) and says
// where the allocation is published; the receiver begins the copy, and the entry is served when the
// copy is over. What cannot be copied so is streamed through host memory. What is short enough to
// be buffered there waits for its receive for some time only, where a blocking call waits with it.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// Returns where receivers find the allocation that a send's data lies in; 0: it is sent otherwise.
std::uint64_t offer_device_memory(NodePeer& peer, const Request& send);

// Takes back a send that is offered so, and sends it as a message from host memory, if it is short
// enough to leave at once so; the next ones to the peer, too. False: it is not offered yet.
bool buffer_late_send(Request& send);

// Begins to receive an offered and claimed message from its sender's device memory. False: nothing
// has happened, and it is to be received otherwise.
bool receive_from_device(const UnexpectedMessage& unexpected, Request& receive);

// Ends the receives whose copies are over; whether there were any.
bool advance_device_receives(NodeMessages& node);

}  // namespace baton::message
