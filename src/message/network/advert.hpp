// Receives that their senders on other nodes know and may write into (known_adverts.hpp): how one
// is told, taken back, and met by its message. Used by the network's protocol.
#pragma once

#include "message/network/remote_peer.hpp"

namespace baton::message {

// `advertise` and `close_advert` of the protocol, for a sender on another node.
void advertise_over_network(const MatchQueue& queue, Request& receive, RemotePeer& sender);
void close_network_advert(Request& receive);
// An envelope has met an advertised receive: its data comes without an answer.
void accept_advertised(Request& receive, const UnexpectedMessage& unexpected);

void arrive_network_advert(RemotePeer& peer, lockfree::Envelope wanted,
                           const NetworkAdvertLine& line);
// A sender that did not remember all it had sent since could not use an advert of ours, nor any
// later one that left before this was heard.
void arrive_refused_advert(RemotePeer& peer, std::uint32_t number);
// It has given one back that was to be cancelled.
void arrive_given_advert(RemotePeer& peer, std::uint32_t number);

}  // namespace baton::message
