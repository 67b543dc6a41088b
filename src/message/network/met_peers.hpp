// Processes of other jobs that are reached over the network: how each is reached, and whether it is
// still there. Used by the network's protocol and by message/meet_over_network.cpp, under the
// progress lock.
#pragma once

#include <cstdint>

#include "base/identity.hpp"
#include "transport/network/network.hpp"
#include "transport/network/peer_watch.hpp"

namespace baton::message {

struct MetPeer {
  transport::network::NetworkAddress address;
  transport::network::HostWatch* watch = nullptr;  // null: nobody looks whether it is there
  std::uint32_t seen_in = 0;                       // of its packets, when last looked at
  // By which it is lost, or has left, since when; 0: it is there.
  int error = 0;
  std::int64_t error_ms = 0;
};

// Such peers that were met together have numbers that follow each other.
struct MetPeers {
  std::uint32_t first = 0, count = 0;
  MetPeer* all = nullptr;
  MetPeers* next = nullptr;
};

// False: no memory.
[[nodiscard]] bool add_met_peers(std::uint32_t first, std::uint32_t count);
void forget_met_peers(std::uint32_t first);
void forget_all_met_peers();
// Returns the one of that number, which was met.
MetPeer& met_peer(Process process);
// A packet to one was lost that was taken for sent: so the peer is lost.
void note_met_error(Process process, int error);

// At start: hears goodbyes.
void hear_goodbyes();

// In progress that has found nothing, now and then: calls `lost` for those that have left or died.
// `finds`: those that were silent since the last such look are watched from now on.
using MetPeerLost = void (*)(Process process, int network_error, bool was_reached);
void look_at_met_peers(std::int64_t now_ms, bool finds, transport::network::WatchPatience patience,
                       MetPeerLost lost);
// Watches one that a receive waits for.
void watch_met_peer(Process process);
// Nobody is watched any more.
void end_met_watch();

}  // namespace baton::message
