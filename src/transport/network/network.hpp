// The network as this process has it: its endpoints, what it knows of each peer there, and packets
// on their way out. Used by the network link and its inbox, and by the rendezvous over it
// (message/). Opened only in a job of several nodes.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"
#include "platform/lock.hpp"
#include "transport/network/choose_provider.hpp"
#include "transport/network/endpoint.hpp"
#include "transport/network/network_peer.hpp"
#include "transport/network/packet.hpp"

namespace baton::transport::network {

// Where a further interface of a process is reached; those with longer addresses are not used.
struct RailAddress {
  std::uint32_t subnet = 0;
  std::uint32_t bytes = 0;  // 0: there is none
  unsigned char raw[32] = {};
};

// What a process tells all others, so that they can send to it and believe it.
struct Card {
  Address address;
  std::uint64_t nonce = 0;  // made up for this run
  char host[44] = {};       // its name, for people
  RailAddress further[rails_max - 1];
};

// Where peers' cards are found; null: there is none.
using FindCard = const Card* (*)(Process process);
struct TakenOffers;
// Told of a packet that the provider had taken and could not deliver.
using LostPacket = void (*)(Process process, int error);

// Memory that may be used by one or more of our interfaces.
struct RailRegistrations {
  Registration each[rails_max];
  int count = 0;
};

// Whether a message may wait for others to go in one packet: its send does not block, so the
// program looks again.
enum class Together { never, may };

// A packet that leaves from memory of ours, copied into it; from where a line begins, which the
// kernel copies quickly (kernel_copy.hpp).
inline constexpr std::size_t copied_bytes_max = 16384;
struct SendBuffer : Operation {
  SendBuffer* next = nullptr;
  NetworkPeer* peer = nullptr;  // to whom; null: a greeting, which nobody misses
  Registration registered;      // its packet
  alignas(cache_line_bytes) char packet[sizeof(PacketHeader) + sizeof(Piece) + copied_bytes_max];
};

// A packet whose payload leaves from where the program has it: what stands before and behind it.
struct PacketEnds {
  char head[sizeof(PacketHeader) + skip_bytes_max + sizeof(Piece)];
  char tail[8];
};

class Network {
 public:
  // First the endpoint, so that its card can be told; then what the others have told.
  [[nodiscard]] Error open_endpoint(bool one_machine);
  [[nodiscard]] Error begin(std::uint32_t processes, Process self, Key job_key, FindCard find_card,
                            LostPacket lost_packet);
  void close();
  bool is_open() const { return endpoints_[0].is_open(); }
  Endpoint& endpoint() { return endpoints_[0]; }
  // Why its provider and interface were taken, in words.
  const char* reason() const { return reason_; }
  // Without an endpoint it has the host's name only.
  Card own_card() const;

  // The peer, made if need be. Null, explained, without memory or address.
  NetworkPeer* meet(Process process);
  // The peer, if it was met.
  NetworkPeer* known(Process process) const {
    // ORDER network.peers: acquire here, release in meet; it is complete.
    return std::atomic_ref(peers_[number_of(process)]).load(std::memory_order_acquire);
  }
  // It was heard. A greeting among others, which is answered.
  void hear(NetworkPeer& peer, const PacketHeader& header);
  // It is lost: what waits for company to go there is dropped.
  void lose(NetworkPeer& peer, int error);
  // The same for who sends, which may be a stranger: null where there is no such process.
  NetworkPeer* find_sender(std::uint32_t sender);

  // How many bytes to send otherwise before a write from there, so that it is copied quickly.
  std::size_t bytes_before_write(const void* data) const;
  // The longest message that is sent before it is matched.
  std::size_t eager_bytes_max() const { return in_place_ ? payload_bytes_max : copied_bytes_max; }

  // Sends a message, copied: in a packet of its own, or with others to the same peer, the latest
  // when `send_filled` is called. Or a packet without one, which tells our wishes.
  Started put(NetworkPeer& peer, const Piece& piece, const void* payload, std::size_t bytes,
              Together together);
  Started put_wishes(NetworkPeer& peer);
  // Whether some peer is to be told our wishes.
  bool has_wishes() { return platform::load_shared(wishes_due_) > 0; }
  void set_wish(NetworkPeer& peer, std::uint8_t wish, bool on);
  // Each packet tells what this line of the status board, ours, says then. Said at start.
  void tell_always(const lockfree::ChannelLine& own) { own_channel_ = &own; }
  // To a peer that was sent to, and told something else, by a packet of its own at the next look.
  // Any thread.
  void tell_channel(NetworkPeer& peer);
  // A packet at the next look, which says nothing: what comes keeps a rank that waits from sleep.
  void rouse(NetworkPeer& peer) { must_tell(peer); }
  void tell_wishes(NetworkPeer& peer);
  // Sends what waits for company; whether any left. Whoever looks at the network does it first, and
  // says so.
  void looked() { platform::add_shared(looks_, std::uint64_t{1}); }
  bool send_filled();
  bool has_filled() const { return first_filling_ != nullptr; }
  // Whether something is on its way out that the provider goes on with only when it is looked at.
  bool is_sending() { return platform::load_shared(buffers_out_) > 0; }
  // Whether the shortest packets leave without a buffer: nobody tells when they have left, so not
  // where this process may end at any time.
  void set_injecting(bool on) { injects_ = on; }
  // From the program's memory.
  Started put_in_place(NetworkPeer& peer, const Piece& piece, const void* payload,
                       std::size_t bytes, PacketEnds& ends, Operation& operation);

  // Takes in what has come, over all interfaces or those where something is expected.
  bool poll(void (*arrived)(std::uint32_t number), bool all);

  // Several interfaces (rails.cpp), for long messages. They are counted, and a peer's named, from
  // the first one on, which is 0.
  int rails() const { return rails_; }
  Endpoint& endpoint_at(int rail) { return endpoints_[rail]; }
  // Those of a peer, of `offered`, over which parts of a message can go now, as bits. Asks whether
  // others can be reached.
  std::uint32_t rails_to(NetworkPeer& peer, int offered);
  // Registers for `rails` of ours; for fewer where only the first one can.
  [[nodiscard]] Error register_target(void* memory, std::size_t bytes, int rails,
                                      RailRegistrations& made);
  [[nodiscard]] Error register_source(const void* memory, std::size_t bytes, int rails,
                                      RailRegistrations& made);
  void forget(RailRegistrations& made);
  // Which of ours leads to that one of a peer.
  int rail_from(const NetworkPeer& peer, int rail) const { return peer.rails[rail].from; }
  // Endpoint::write to that one of a peer.
  Started write(const NetworkPeer& peer, int rail, const void* data, std::size_t bytes,
                void* description, std::uint64_t address, std::uint64_t key, std::uint32_t number,
                Operation& operation);
  // Endpoint::access at that one of a peer.
  Started access(NetworkPeer& peer, int rail, bool writes, void* data, std::size_t bytes,
                 void* description, std::uint64_t address, std::uint64_t key, Operation& operation);
  // From `true` to `false` something is on its way over further ones.
  void expect_on_rails(bool expected) { platform::add_shared(busy_, expected ? 1u : ~0u); }
  // A peer that is lost: ends the connections to all its interfaces.
  void cut_connections(const Card& card);

 private:
  bool may_inject(std::size_t bytes) const {
    return injects_ && bytes <= endpoints_[0].inject_bytes_max();
  }
  // Whether packets may go there now. Who was never heard is greeted first, and it is `later`.
  Started may_send(NetworkPeer& peer) {
    // relaxed: nothing is ordered by it.
    return BATON_LIKELY(peer.is_met.load(std::memory_order_relaxed)) ? Started::yes : greet(peer);
  }
  Started greet(NetworkPeer& peer);
  Started send_greeting(NetworkPeer& peer, std::uint8_t what);
  SendBuffer* take_buffer(NetworkPeer& peer);
  void keep(SendBuffer& buffer);
  static void buffer_sent(Operation& operation, int error);
  void write_header(NetworkPeer& peer, char* packet, std::size_t bytes, std::size_t skip = 0) const;
  Started sent(NetworkPeer& peer, Started started);
  bool goes_together(NetworkPeer& peer, std::size_t whole);
  bool begin_filling(NetworkPeer& peer);
  Started send_filled(NetworkPeer& peer);
  Started send_buffer(NetworkPeer& peer, SendBuffer& buffer, std::size_t bytes);
  void end_filling(NetworkPeer& peer);
  void must_tell(NetworkPeer& peer);
  Started put_alone(NetworkPeer& peer, const Piece& piece, const void* payload, std::size_t bytes);

  void open_further(const Library& library, TakenOffers& offers);
  void find_rails(NetworkPeer& peer, const Card& card);
  void take_probes(int rail);

  Endpoint endpoints_[rails_max];
  std::uint32_t subnets_[rails_max] = {};
  int rails_ = 1;
  std::uint32_t busy_ = 0;  // of what goes over further interfaces
  const char* reason_ = "";
  Key job_key_;
  std::uint64_t nonce_ = 0;
  FindCard find_card_ = nullptr;
  LostPacket lost_packet_ = nullptr;
  NetworkPeer** peers_ = nullptr;
  std::uint32_t processes_ = 0;
  Process self_{};
  bool in_place_ = false;  // messages may leave from the program's memory, without a copy
  bool injects_ = false;
  NetworkPeer* first_filling_ = nullptr;
  std::uint64_t looks_ = 0;
  std::uint32_t wishes_due_ = 0;  // peers that are to be told
  const lockfree::ChannelLine* own_channel_ = nullptr;
  SendBuffer* free_buffers_ = nullptr;
  std::uint32_t buffers_made_ = 0;
  std::uint32_t buffers_out_ = 0;  // being filled, or on their way
  platform::Lock peers_lock_;
  platform::Lock buffers_lock_;
  platform::Lock greeting_lock_;
};

// This process's. Tests that play several processes put another in its place.
extern Network* own_network;
inline Network& network() {
  return *own_network;
}

}  // namespace baton::transport::network
