// This is the state of another process in the network: how it is reached, and what is on its way.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/identity.hpp"
#include "base/keyed_hash.hpp"
#include "transport/network/choose_provider.hpp"
#include "transport/network/endpoint.hpp"
#include "transport/network/heard_channel.hpp"
#include "transport/network/transit.hpp"

namespace baton::transport::network {

// This is a further interface of a peer, which is reached from ours with the number `from`; 0: from
// none.
struct PeerRail {
  fi_addr_t address = FI_ADDR_UNSPEC;
  std::int32_t from = 0;
  std::uint32_t asked = 0;  // how often there was use for it before it was known to be reached
};

// The peer is made when the first packet goes there or comes from there.
struct NetworkPeer {
  Process process{};
  std::uint32_t own_number = 0;  // of this process, as the peer counts it
  int lost = 0;  // libfabric's error by which sending to the peer has failed for good
  fi_addr_t address = FI_ADDR_UNSPEC;
  Key out_key, in_key;
  std::atomic<bool> is_met{false};  // a packet of it has come: the connection holds, see greet
  std::uint64_t greet_look = 0;     // it is not greeted again before that look, or time
  std::int64_t greet_ns = 0, greet_gap_ns = 0;
  std::uint32_t next_out = 0;  // number of the next packet, either way
  std::uint32_t next_in = 0;
  ReceiveBuffer* early = nullptr;  // packets that came before their turn
  bool dropped = false;            // it is lost: packets that still come from it are ignored
  std::uint8_t its_wishes = 0;
  HeardChannel its_channel;
  static constexpr std::uint8_t nothing_told = 255;
  std::atomic<std::uint8_t> told_channel{nothing_told};  // ours, in the last packet to it
  std::atomic<std::uint8_t> our_wishes{0};
  std::atomic<bool> wishes_due{false};  // a wish has changed, and no packet has told it
  // Short messages wait for others in a packet that is being filled; `in_a_row` counts the sends
  // since this process last looked at the network.
  struct SendBuffer* filling = nullptr;
  std::uint32_t filled_bytes = 0;
  std::uint32_t in_a_row = 0;
  std::uint64_t row_look = 0;
  std::int64_t roused_ns = 0;  // when it was last kept from sleep (message/network/remote_access)
  bool rouse_seen = true;      // it has looked at the network since then
  NetworkPeer* next_filling = nullptr;
  PeerRail rails[rails_max];  // the first is not in use
  Transit transit;
};

}  // namespace baton::transport::network
