// Finding what a broken connection has lost though both ends live. A rank that waits asks the peers
// that it has met, and that are silent, how many writes have left there; the answer is a packet,
// and packets are numbered. What has left and does not come, or does not leave though the peer
// answers, for the network's patience, is lost. Only peer_loss.cpp comes here.
#pragma once

#include "base/identity.hpp"
#include "transport/network/network.hpp"

namespace baton::message {

// At start: answers those who ask, and hears answers.
void begin_transit_checks();
// Once a second while this process waits. True: what this peer had sent is lost.
[[nodiscard]] bool check_transit(transport::network::NetworkPeer& peer);

}  // namespace baton::message
