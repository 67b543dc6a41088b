#include "message/network/lost_in_transit.hpp"

#include <bit>
#include <cstring>

#include "base/settings.hpp"
#include "message/core/active.hpp"

namespace baton::message {

using transport::network::network;
using transport::network::NetworkPeer;

namespace {

struct TransitLine {
  std::uint32_t asks;    // else it answers
  std::uint32_t writes;  // so many have left for who reads this
};

void tell(NetworkPeer& peer, bool asks) {
  const TransitLine line{asks, peer.transit.writes_out};
  (void)send_active(peer.process, ActiveKind::network_transit, 0, &line, sizeof line);
}

// After one second, two, four and so on, and then again and again.
bool is_time_to_ask(std::int64_t seconds) {
  constexpr std::int64_t gap = 16;  // guess
  return seconds % gap == 0 || std::has_single_bit(static_cast<std::uint64_t>(seconds));
}

void arrive_transit(const ActiveMessage& message) {
  TransitLine line;
  std::memcpy(&line, message.payload, sizeof line);
  NetworkPeer* peer = network().known(message.sender);
  if (!peer) return;
  peer->transit.writes_told = line.writes;
  ++peer->transit.questions;
  if (line.asks) tell(*peer, false);
}

}  // namespace

void begin_transit_checks() {
  handle_active(ActiveKind::network_transit, arrive_transit);
}

bool check_transit(NetworkPeer& peer) {
  transport::network::Transit& transit = peer.transit;
  const std::uint32_t packets = peer.next_in - transit.questions;
  if (packets != transit.packets_seen || transit.writes_in != transit.writes_in_seen ||
      transit.writes_out != transit.writes_out_seen) {
    // Something moves: whatever is missing may be on its way.
    transit.packets_seen = packets;
    transit.writes_in_seen = transit.writes_in;
    transit.writes_out_seen = transit.writes_out;
    transit.questions_seen = transit.questions;
    transit.seconds_silent = transit.seconds_lacking = 0;
    return false;
  }
  // Who asks or answers takes in what comes, too.
  const bool sticks =
      transit.writes_begun != transit.writes_out && transit.questions - transit.questions_seen >= 2;
  const bool lacks = peer.early || sticks ||
                     static_cast<std::int32_t>(transit.writes_told - transit.writes_in) > 0;
  transit.seconds_lacking = lacks ? transit.seconds_lacking + 1 : 0;
  if (transit.seconds_lacking > settings.network_patience_seconds) return true;
  if (is_time_to_ask(++transit.seconds_silent)) tell(peer, true);
  return false;
}

}  // namespace baton::message
