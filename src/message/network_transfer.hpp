// The rendezvous over the network: transfers, from the envelope to the last write.
#pragma once

#include "message/network.hpp"

namespace baton::message {

// Puts the envelope of a send whose data waits here; and a receiver's answer. False when there is
// no room on the way. Under the send lock.
bool put_network_rts(Peer& peer, Request& send);
bool put_network_cts(Peer& peer, Request& receive);
// Makes this process answer those who want to cancel a send, and hear answers. At start.
void begin_cancelling();
// Ends a receive whose sender is lost.
void fail_network_receive(Request& receive, Error error);
// Ends what is under way with a peer that is lost.
void fail_transfers(Process process);
// A peer has written into a receive of ours, by its number.
void arrive_network_write(std::uint32_t receive);
// Goes on with writes that found no room; whether any began.
bool advance_transfers();
void forget_transfers();

// A peer cannot be reached any more: explained, as the error of what was on its way there.
Error lost_peer(Process process, int network_error);

}  // namespace baton::message
