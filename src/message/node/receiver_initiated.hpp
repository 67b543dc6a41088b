// Redirection: a receive that was posted first is advertised to the rank it names, and that rank
// puts the message straight into the receive buffer. Long ones both sides copy. Not with
// MPI_THREAD_MULTIPLE, where a receive may be posted while another thread takes a message in.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// `advertise` and `close_advert` of the protocol.
void advertise_receive(const MatchQueue& queue, Request& receive, NodePeer& sender);
bool close_receive_advert(Request& receive);
// The first receive that a send matches, if it is known; its number is 0 if not.
struct Target {
  std::uint64_t number = 0;
  char* address = nullptr;  // there
  bool exported = false;
};
Target find_target(NodePeer& peer, const Request& send);
// Sends straight into it; false, with nothing done, when that cannot be.
bool redirect(NodePeer& peer, Request& send, const Target& target);
// A message has come that its sender has pushed, or pushes, into a receive.
void arrive_pushed(ArrivedLine& message);

}  // namespace baton::message
