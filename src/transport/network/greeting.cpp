// Greets a peer at first contact, over providers that make connections.
#include <algorithm>
#include <cstring>

#include "platform/clock.hpp"
#include "transport/network/network.hpp"

namespace baton::transport::network {

// Two ranks may connect to each other at the same time. Of the two connections one is given up, and
// libfabric's TCP may give up the one over which something has been sent: it takes the other one's
// request for one of a new process where it sees that late. So the first packet is a greeting,
// which is sent again until a packet of the peer has come; by then each end knows which connection
// it is.
Started Network::greet(NetworkPeer& peer) {
  constexpr std::uint64_t looks_between = 8;         // guess: a request is seen after two or three
  constexpr std::int64_t first_gap_ns = 10'000'000;  // guess: an answer takes less if both look
  constexpr std::int64_t longest_gap_ns = 1'000'000'000;  // guess: the peer computes
  const std::int64_t now = platform::now_ns();
  platform::Guard guard(greeting_lock_);
  if (peer.greet_look > platform::load_shared(looks_) || now < peer.greet_ns) return Started::later;
  const Started started = send_greeting(peer, greeting_asks);
  if (started == Started::failed) {
    peer.lost = endpoint().last_error();
    return started;
  }
  if (started == Started::later) {
    peer.greet_look = platform::load_shared(looks_) + looks_between;
  } else {
    peer.greet_gap_ns = std::clamp(2 * peer.greet_gap_ns, first_gap_ns, longest_gap_ns);
    peer.greet_ns = now + peer.greet_gap_ns;
  }
  return Started::later;
}

Started Network::send_greeting(NetworkPeer& peer, std::uint8_t what) {
  PacketHeader header{};
  header.sender = peer.own_number;
  header.wishes = what;
  header.proof = proof_of(peer.out_key, header);
  if (may_inject(sizeof header)) return endpoint().inject(peer.address, &header, sizeof header);
  SendBuffer* buffer = take_buffer(peer);
  if (!buffer) return Started::later;
  buffer->peer = nullptr;
  std::memcpy(buffer->packet, &header, sizeof header);
  const iovec part{buffer->packet, sizeof header};
  const Started started =
      endpoint().send(peer.address, &part, &buffer->registered.description, 1, *buffer);
  if (started != Started::yes) keep(*buffer);
  return started;
}

void Network::hear(NetworkPeer& peer, const PacketHeader& header) {
  peer.is_met.store(true, std::memory_order_relaxed);  // relaxed: see may_send
  // If there is no space for the answer, the peer asks again.
  if (header.wishes & greeting_asks) (void)send_greeting(peer, greeting_answers);
}

}  // namespace baton::transport::network
