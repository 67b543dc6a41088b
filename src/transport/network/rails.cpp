// A process may have several interfaces (multi-rail): each is an endpoint of its own, and a peer's
// is reached from one of ours in the same subnet. Invariant: a further interface is used only after
// the peer has said that a probe of ours came there: no other host has the same address, and no
// firewall is between.
#include <cstring>
#include <utility>

#include "transport/network/network.hpp"
#include "transport/network/offers.hpp"
#include "transport/network/peer_watch.hpp"

namespace baton::transport::network {

namespace {

// This many packets, which are probes only, may come there before the first is taken.
constexpr std::size_t probe_buffers = 2;
constexpr std::uint32_t probe_number = ~0u;  // of a header, where others are counted

// A peer is probed again after each `messages_between` long messages, at most `asked_max` times.
constexpr std::uint32_t messages_between = 32, asked_max = 8;  // guess

}  // namespace

void Network::open_further(TakenOffers& offers) {
  for (int i = 1; i < offers.count; ++i) {
    Endpoint& further = endpoints_[rails_];
    if (further.open(library_, std::exchange(offers.each[i], nullptr), probe_buffers)) continue;
    if (further.address().bytes > sizeof RailAddress::raw ||
        further.inject_bytes_max() < sizeof(PacketHeader)) {
      further.close();
      continue;
    }
    subnets_[rails_++] = offers.subnets[i];
  }
}

void Network::find_rails(NetworkPeer& peer, const NetworkAddress& network_address) {
  bool taken[rails_max] = {};
  for (int rail = 1; rail < rails_max; ++rail) {
    const RailAddress& told = network_address.further[rail - 1];
    if (told.bytes == 0 || told.bytes > sizeof told.raw) return;
    for (int from = 1; from < rails_; ++from) {
      if (taken[from] || subnets_[from] != told.subnet) continue;
      Address address{told.bytes, {}};
      std::memcpy(address.raw, told.raw, told.bytes);
      if (endpoints_[from].add_peer(address, &peer.rails[rail].address)) break;
      peer.rails[rail].from = from;
      taken[from] = true;
      break;
    }
  }
}

std::uint32_t Network::rails_to(NetworkPeer& peer, int offered) {
  std::uint32_t usable = 1;
  for (int rail = 1; rail < offered; ++rail) {
    PeerRail& further = peer.rails[rail];
    if (further.from == 0) continue;
    if (peer.its_wishes & wish_rail(rail)) {
      usable |= 1u << rail;
      continue;
    }
    if (further.asked++ % messages_between != 0 || further.asked > asked_max * messages_between)
      continue;
    alignas(8) PacketHeader probe{};
    probe.number = probe_number;
    probe.sender = peer.own_number;
    probe.proof = proof_of(peer.out_key, probe);
    // Where there is no connection yet the probe finds no space: the next message tries again.
    if (endpoints_[further.from].inject(further.address, &probe, sizeof probe) == Started::later)
      --further.asked;
  }
  return usable;
}

void Network::take_probes(int rail) {
  while (ReceiveBuffer* buffer = endpoints_[rail].next_packet()) {
    PacketHeader probe{};
    if (buffer->bytes == sizeof probe) {
      std::memcpy(&probe, buffer->packet, sizeof probe);
      NetworkPeer* peer = find_sender(probe.sender);
      if (peer && check_packet(buffer->packet, sizeof probe, peer->in_key, probe_number) ==
                      PacketFault::none)
        set_wish(*peer, wish_rail(rail), true);
    }
    endpoints_[rail].give_back(*buffer);
  }
}

bool Network::poll(void (*arrived)(std::uint32_t number), bool all) {
  constexpr std::uint64_t gap = 16;  // guess: looks between looks at interfaces that expect nothing
  looked();
  bool any = endpoint().poll(arrived);
  if (BATON_LIKELY(rails_ == 1)) return any;
  if (!all && platform::load_shared(busy_) == 0 && platform::load_shared(looks_) % gap != 0)
    return any;
  for (int rail = 1; rail < rails_; ++rail) {
    any |= endpoints_[rail].poll(arrived);
    take_probes(rail);
  }
  return any;
}

Error Network::register_target(void* memory, std::size_t bytes, int rails,
                               RailRegistrations& made) {
  for (made.count = 0; made.count < rails; ++made.count)
    if (Error error = endpoints_[made.count].register_target(memory, bytes, made.each[made.count]))
      return made.count > 0 ? MPI_SUCCESS : error;
  return MPI_SUCCESS;
}

Error Network::register_source(const void* memory, std::size_t bytes, int rails,
                               RailRegistrations& made) {
  for (made.count = 0; made.count < rails; ++made.count)
    if (Error error = endpoints_[made.count].register_source(memory, bytes, made.each[made.count]))
      return made.count > 0 ? MPI_SUCCESS : error;
  return MPI_SUCCESS;
}

void Network::forget(RailRegistrations& made) {
  for (int rail = 0; rail < made.count; ++rail) endpoints_[rail].forget(made.each[rail]);
  made.count = 0;
}

Started Network::write(const NetworkPeer& peer, int rail, const void* data, std::size_t bytes,
                       void* description, std::uint64_t address, std::uint64_t key,
                       std::uint32_t number, Operation& operation) {
  const PeerRail& further = peer.rails[rail];
  return endpoints_[further.from].write(rail == 0 ? peer.address : further.address, data, bytes,
                                        description, address, key, number, operation);
}

Started Network::access(NetworkPeer& peer, int rail, bool writes, void* data, std::size_t bytes,
                        void* description, std::uint64_t address, std::uint64_t key,
                        Operation& operation) {
  if (const Started ready = may_send(peer); ready != Started::yes) return ready;
  const PeerRail& further = peer.rails[rail];
  return endpoints_[further.from].access(rail == 0 ? peer.address : further.address, writes, data,
                                         bytes, description, address, key, operation);
}

void Network::cut_connections(const NetworkAddress& network_address) {
  for (int own = 0; own < rails_; ++own) {
    network::cut_connections(network_address.address, endpoints_[own].address());
    for (const RailAddress& told : network_address.further) {
      if (told.bytes == 0) break;
      Address address{told.bytes, {}};
      std::memcpy(address.raw, told.raw, told.bytes);
      network::cut_connections(address, endpoints_[own].address());
    }
  }
}

}  // namespace baton::transport::network
