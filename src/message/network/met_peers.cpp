#include "message/network/met_peers.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "message/core/active.hpp"
#include "message/core/loss.hpp"
#include "message/core/meeting.hpp"
#include "message/network/network_messages.hpp"
#include "platform/stream.hpp"

namespace baton::message {

using transport::network::HostWatch;
using transport::network::network;
using transport::network::NetworkPeer;
using transport::network::WatchPatience;
using transport::network::WatchResult;

namespace {

// Messages of one that has died or left may still be on their way, over others, too: for so long
// nobody hears of it.
constexpr std::int64_t grace_ms = 500;            // guess
constexpr std::int64_t refused_ms = 250;          // guess: nobody listens where one has listened
constexpr std::uint32_t watched_peers_max = 128;  // guess: descriptors are few

MetPeers*& all_met() {
  return messages_over_network().met;
}

void forget(MetPeers* peers) {
  for (std::uint32_t i = 0; i < peers->count; ++i) delete peers->all[i].watch;
  delete[] peers->all;
  delete peers;
}

void arrive_goodbye(const ActiveMessage& message) {
  if (is_of_own_job(message.sender) || !note_left(message.sender)) return;
  note_met_error(message.sender, left_normally);
}

// Calls act(process, peer, its part in the network) for each that is not lost.
template <class Act>
void each_met_peer(Act&& act) {
  for (MetPeers* peers = all_met(); peers; peers = peers->next)
    for (std::uint32_t i = 0; i < peers->count; ++i) {
      const auto process = static_cast<Process>(peers->first + i);
      NetworkPeer* peer = network().known(process);
      if (peer && !loss_of(process)) act(process, peers->all[i], *peer);
    }
}

void watch(Process process, MetPeer& met) {
  std::uint32_t watched = 0;
  for (const MetPeers* peers = all_met(); peers; peers = peers->next)
    watched += static_cast<std::uint32_t>(std::count_if(
        peers->all, peers->all + peers->count, [](const MetPeer& one) { return one.watch; }));
  if (met.watch || watched == watched_peers_max) return;
  met.watch = new (std::nothrow) HostWatch;
  if (met.watch) met.watch->aim(process, met.address.address, network().endpoint().address());
}

void end_watch(MetPeer& met) {
  delete met.watch;
  met.watch = nullptr;
}

void note_error(MetPeer& met, int error) {
  if (met.error) return;
  met.error = error;
  met.error_ms = platform::now_ms();
}

// Returns the error by which one is lost, or has left; 0: it is there.
int look_at(MetPeer& met, const NetworkPeer& peer, std::int64_t now_ms,
            const WatchPatience& patience) {
  if (met.error) return met.error;
  if (peer.lost || !met.watch) return peer.lost;
  if (peer.next_in > 0) met.watch->heard();
  const WatchResult result = met.watch->look(now_ms, patience);
  // libfabric then gives back what is on its way there.
  if (result == WatchResult::host_silent) network().cut_connections(met.address);
  return result == WatchResult::none ? 0 : met.watch->error();
}

}  // namespace

bool add_met_peers(std::uint32_t first, std::uint32_t count) {
  auto* peers = new (std::nothrow) MetPeers;
  auto* all = new (std::nothrow) MetPeer[count];
  if (!peers || !all) {
    delete peers;
    delete[] all;
    return false;
  }
  *peers = {first, count, all, all_met()};
  all_met() = peers;
  return true;
}

void forget_met_peers(std::uint32_t first) {
  for (MetPeers** link = &all_met(); *link; link = &(*link)->next)
    if (MetPeers* peers = *link; peers->first == first) {
      *link = peers->next;
      return forget(peers);
    }
}

void forget_all_met_peers() {
  while (MetPeers* peers = all_met()) {
    all_met() = peers->next;
    forget(peers);
  }
}

MetPeer& met_peer(Process process) {
  MetPeers* peers = all_met();
  while (peers && number_of(process) - peers->first >= peers->count) peers = peers->next;
  BATON_INVARIANT(peers != nullptr);
  return peers->all[number_of(process) - peers->first];
}

void note_met_error(Process process, int error) {
  note_error(met_peer(process), error);
}

void hear_goodbyes() {
  handle_active(ActiveKind::network_goodbye, arrive_goodbye);
}

void look_at_met_peers(std::int64_t now_ms, bool finds, WatchPatience patience, MetPeerLost lost) {
  patience.refused = std::min(patience.refused, refused_ms);
  each_met_peer([&](Process process, MetPeer& met, const NetworkPeer& peer) {
    if (finds && known_peer(process) && peer.next_in == met.seen_in) watch(process, met);
    if (finds) met.seen_in = peer.next_in;
    if (const int error = look_at(met, peer, now_ms, patience)) note_error(met, error);
    if (!met.error || now_ms < met.error_ms + grace_ms) return;
    end_watch(met);
    lost(process, met.error, peer.next_in > 0);
  });
}

void watch_met_peer(Process process) {
  if (network().known(process) && !loss_of(process)) watch(process, met_peer(process));
}

void end_met_watch() {
  each_met_peer([](Process, MetPeer& met, const NetworkPeer&) { end_watch(met); });
}

}  // namespace baton::message
