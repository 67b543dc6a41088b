// The network's part of the engine, which the files of this folder share: what is on its way to and
// from processes on other nodes.
#pragma once

#include "message/core/protocol.hpp"
#include "message/network/remote_peer.hpp"
#include "transport/network/device_registrations.hpp"

namespace baton::message {

struct Rendezvous;
struct RemoteAccess;
struct EagerSend;
struct PeerWatches;
struct MetPeers;

// Messages that are written, either side's. The number of one has its place in the lower bits, and
// above them how many there were before it: a write of a sender that was lost may come late, when
// its receive is over and another one has the place.
struct RendezvousTable {
  static constexpr std::uint32_t place_bits = 20;
  static constexpr std::uint32_t places_max = (1u << place_bits) - 1;
  Rendezvous** all = nullptr;  // by their places
  std::uint32_t size = 0;
  std::uint32_t lowest = 0;       // below it none is free
  Rendezvous* writing = nullptr;  // those that want to write
  platform::Lock lock;
  std::uint32_t opened = 0;  // so many before, for the next one's number
};

// Remote accesses that are not over, the oldest first. Begun by any thread; all else by who makes
// progress.
struct Accesses {
  RemoteAccess* first = nullptr;
  RemoteAccess** last = &first;
  int parts = 0;  // under way
  platform::Lock lock;
};

class NetworkMessages : public Protocol {
 public:
  std::uint32_t sends_under_way = 0;  // that have not all left
  RendezvousTable rendezvous_table;
  Accesses accesses;
  EagerSend* spare_sends = nullptr;
  platform::Lock spare_sends_lock;
  transport::network::DeviceRegistrations devices;
  PeerWatches* watches = nullptr;  // of peers that are lost, or may be; null: nobody looks
  MetPeers* met = nullptr;         // of other jobs
  Leaving leaving = Leaving::any_time;
};

inline NetworkMessages& messages_over_network() {
  return static_cast<NetworkMessages&>(*engine.protocols[static_cast<int>(PeerKind::network)]);
}

}  // namespace baton::message
