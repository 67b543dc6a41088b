// The rendezvous over the network, from the envelope to the last write.
#pragma once

#include "message/network/remote_peer.hpp"

namespace baton::message {

// Returns whether long messages to other nodes go straight from and to memory of devices.
bool network_reaches_devices();
// Puts the envelope of a send whose data waits here; and a receiver's answer. False when there is
// no space on the way. Under the send lock.
bool put_network_rts(RemotePeer& peer, Request& send);
bool put_network_cts(RemotePeer& peer, Request& receive);
// The receiver's side of an advert: makes the receive ready to be written into, and fills in where
// (false without memory); undoes it; a message is being written there.
bool open_advertised(RemotePeer& sender, Request& receive, NetworkAdvertLine& line);
void close_advertised(const Request& receive);
void accept_written(Request& receive, const UnexpectedMessage& unexpected);
// Our adverts from this number on are used by nobody: asks for what such receives have matched.
void ask_for_refused(const RemotePeer& peer, std::uint32_t first);
// The sender's side: writes what waits for an answer.
void write_to_advertised(const RemotePeer& peer, std::uint32_t send,
                         const NetworkAdvertLine& advert);
// Takes in a receiver's answer, and begins to write.
void arrive_network_cts(const RemotePeer& peer, const NetworkCtsLine& line);
// `accept` of the protocol.
void accept_over_network(const UnexpectedMessage& unexpected, Request& receive);
// The receiver of a send has given it back, unmatched.
void end_cancelled_send(std::uint32_t number, Process receiver);
// Asks the receivers of sends that are offered and `is_doomed` to give them back.
void take_doomed_sends_back(bool (*is_doomed)(const Request& send));
// Ends a receive whose sender is lost.
void fail_network_receive(Request& receive, Error error);
// Ends what is under way with a peer that is lost.
void fail_rendezvous(Process process);
// A peer has written into a receive of ours, by its number.
void arrive_network_write(std::uint32_t receive);
// Goes on with writes that found no space; whether any began.
bool advance_rendezvous();
void forget_rendezvous();

}  // namespace baton::message
