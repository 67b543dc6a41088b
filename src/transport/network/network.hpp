// This process's end of the network: its endpoints, the state of each peer there, and packets on
// their way out. It is used by the network link and its inbox, and by the rendezvous over it
// (message/). It is opened only in a job of several nodes.
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

// This is the address of a further interface of a process; interfaces with longer addresses are not
// used.
struct RailAddress {
  std::uint32_t subnet = 0;
  std::uint32_t bytes = 0;  // 0: there is none
  unsigned char raw[32] = {};
};

// Each process tells its network address to all others, so that they can send to it and
// authenticate its packets.
struct NetworkAddress {
  Address address;
  std::uint64_t nonce = 0;  // a random number of this run
  char host[44] = {};       // its host's name, for messages
  RailAddress further[rails_max - 1];
};

// Returns the network address of a peer; null: there is none.
using FindNetworkAddress = const NetworkAddress* (*)(Process process);
struct TakenOffers;
// This is called for a packet that the provider had taken and could not deliver.
using LostPacket = void (*)(Process process, int error);

// This is memory that is registered at one or more of our interfaces.
struct RailRegistrations {
  Registration each[rails_max];
  int count = 0;
};

// Says whether a message may wait for others to go in one packet: it may if its send does not
// block, so that the program looks again.
enum class Together { never, may };

// A packet is copied into memory of ours and leaves from there if it has at most this many bytes.
// It begins where a cache line does, which the kernel copies quickly (kernel_copy.hpp).
inline constexpr std::size_t copied_bytes_max = 16384;
struct SendBuffer : Operation {
  SendBuffer* next = nullptr;
  NetworkPeer* peer = nullptr;  // the receiver; null: a greeting, whose loss does not matter
  Registration registered;      // of the packet
  alignas(cache_line_bytes) char packet[sizeof(PacketHeader) + sizeof(PacketMessage) +
                                        copied_bytes_max];
};

// These are the ends of a packet whose payload leaves from the program's memory: the parts before
// and behind it.
struct PacketEnds {
  char head[sizeof(PacketHeader) + skip_bytes_max + sizeof(PacketMessage)];
  char tail[8];
};

class Network {
 public:
  // Opens the network in two steps: first the endpoint, so that its network address can be told;
  // then with the network addresses of the others.
  [[nodiscard]] Error open_endpoint(bool one_machine);
  // Up to `processes_max` processes may be met, of which `processes` are the job's own.
  [[nodiscard]] Error begin(std::uint32_t processes, std::uint32_t processes_max, Process self,
                            Key job_key, FindNetworkAddress find_network_address,
                            LostPacket lost_packet);
  void close();
  bool is_open() const { return endpoints_[0].is_open(); }
  Endpoint& endpoint() { return endpoints_[0]; }
  const Library& library() const { return library_; }
  // Says in words why the provider and interface were taken.
  const char* reason() const { return reason_; }
  // Without an endpoint the network address has the host's name only.
  NetworkAddress own_address() const;

  // Returns the peer, and makes it if need be. Null, explained, without memory or address.
  NetworkPeer* meet(Process process);
  // Makes the peer that a process of another job is, by a key that only the two groups know which
  // meet. The peer counts this process by `own_number`. Error, explained: MPI_ERR_NO_MEM, or its
  // address is of no use here.
  [[nodiscard]] Error introduce(Process process, const NetworkAddress& network_address, Key key,
                                std::uint32_t own_number);
  // Forgets such a peer, of which nothing is under way.
  void forget(Process process);
  // Return whether processes of other jobs were ever met, and whether this is the number of one of
  // the own job.
  bool knows_others() const { return knows_others_; }
  bool is_of_own_job(std::uint32_t sender) const { return sender < processes_; }
  // Returns the peer if it was met, else null.
  NetworkPeer* known(Process process) const {
    // ORDER network.peers: acquire here, release in meet; it is complete.
    return std::atomic_ref(peers_[number_of(process)]).load(std::memory_order_acquire);
  }
  // Notes that a packet of the peer has come. A greeting is answered.
  void hear(NetworkPeer& peer, const PacketHeader& header);
  // Notes that the peer is lost, and drops messages that wait for others to go there.
  void lose(NetworkPeer& peer, int error);
  // Returns the peer that has sent a packet, which may be a stranger: null where there is no such
  // process.
  NetworkPeer* find_sender(std::uint32_t sender);

  // Returns how many bytes to send otherwise before a write from there, so that the kernel copies
  // it quickly.
  std::size_t bytes_before_write(const void* data) const;
  // This is the longest message that is sent before it is matched.
  std::size_t eager_bytes_max() const { return in_place_ ? payload_bytes_max : copied_bytes_max; }

  // Sends a message that it copies: in a packet of its own, or with others to the same peer, at the
  // latest when `send_filled` is called. An empty packet only tells our wishes.
  Started put(NetworkPeer& peer, const PacketMessage& message, const void* payload,
              std::size_t bytes, Together together);
  Started put_wishes(NetworkPeer& peer);
  // Returns whether some peer is to be told our wishes.
  bool has_wishes() { return platform::load_shared(wishes_due_) > 0; }
  void set_wish(NetworkPeer& peer, std::uint8_t wish, bool on);
  // Sets this rank's line of the status board, whose value each packet then tells. It is called at
  // start.
  void tell_always(const lockfree::ChannelLine& own) { own_channel_ = &own; }
  // Tells the channel by a packet of its own at the next look, to a peer that was sent to and told
  // something else. Any thread may call it.
  void tell_channel(NetworkPeer& peer);
  // Sends an empty packet at the next look: a packet that comes keeps a waiting rank from sleep.
  void rouse(NetworkPeer& peer) { must_tell(peer); }
  void tell_wishes(NetworkPeer& peer);
  // `send_filled` sends the packets that wait for more messages, and returns whether any left. A
  // thread that looks at the network calls it first, and calls `looked`.
  void looked() { platform::add_shared(looks_, std::uint64_t{1}); }
  bool send_filled();
  bool has_filled() const { return first_filling_ != nullptr; }
  // Returns whether a packet is on its way out that the provider goes on with only when it is
  // looked at.
  bool is_sending() { return platform::load_shared(buffers_out_) > 0; }
  // Sets whether the shortest packets leave without a buffer. Nothing tells when they have left, so
  // this is off where the process may end at any time.
  void set_injecting(bool on) { injects_ = on && !knows_others_; }
  // Sends a message from the program's memory.
  Started put_in_place(NetworkPeer& peer, const PacketMessage& message, const void* payload,
                       std::size_t bytes, PacketEnds& ends, Operation& operation);

  // Takes in what has come, over all interfaces or over those where something is expected.
  bool poll(void (*arrived)(std::uint32_t number), bool all);

  // --- several interfaces (rails.cpp), for long messages. They are counted, and a peer's named,
  // from the first one on, which is 0.
  int rails() const { return rails_; }
  Endpoint& endpoint_at(int rail) { return endpoints_[rail]; }
  // Returns as bits those interfaces of a peer, of `offered`, over which parts of a message can go
  // now. It also probes whether others can be reached.
  std::uint32_t rails_to(NetworkPeer& peer, int offered);
  // Registers memory at `rails` of our interfaces; at fewer where only the first one can.
  [[nodiscard]] Error register_target(void* memory, std::size_t bytes, int rails,
                                      RailRegistrations& made);
  [[nodiscard]] Error register_source(const void* memory, std::size_t bytes, int rails,
                                      RailRegistrations& made);
  void forget(RailRegistrations& made);
  // Returns which of our interfaces leads to that one of a peer.
  int rail_from(const NetworkPeer& peer, int rail) const { return peer.rails[rail].from; }
  // Calls Endpoint::write for that interface of a peer.
  Started write(const NetworkPeer& peer, int rail, const void* data, std::size_t bytes,
                void* description, std::uint64_t address, std::uint64_t key, std::uint32_t number,
                Operation& operation);
  // Calls Endpoint::access for that interface of a peer.
  Started access(NetworkPeer& peer, int rail, bool writes, void* data, std::size_t bytes,
                 void* description, std::uint64_t address, std::uint64_t key, Operation& operation);
  // Counts, from `true` to `false`, something that is on its way over further interfaces.
  void expect_on_rails(bool expected) { platform::add_shared(busy_, expected ? 1u : ~0u); }
  // Ends the connections to all interfaces of a peer that is lost.
  void cut_connections(const NetworkAddress& network_address);

 private:
  bool may_inject(std::size_t bytes) const {
    return injects_ && bytes <= endpoints_[0].inject_bytes_max();
  }
  // Returns whether packets may go to the peer now. A peer that was never heard is greeted first,
  // with the result `later`.
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
  Started put_alone(NetworkPeer& peer, const PacketMessage& message, const void* payload,
                    std::size_t bytes);

  void open_further(TakenOffers& offers);
  NetworkPeer* make_peer(Process process, const NetworkAddress& network_address, Key key,
                         std::uint32_t own_number);
  void find_rails(NetworkPeer& peer, const NetworkAddress& network_address);
  void take_probes(int rail);

  Library library_{};
  Endpoint endpoints_[rails_max];
  std::uint32_t subnets_[rails_max] = {};
  int rails_ = 1;
  std::uint32_t busy_ = 0;  // counts what is on its way over further interfaces
  const char* reason_ = "";
  Key job_key_;
  std::uint64_t nonce_ = 0;
  FindNetworkAddress find_address_ = nullptr;
  LostPacket lost_packet_ = nullptr;
  NetworkPeer** peers_ = nullptr;
  std::uint32_t processes_ = 0, processes_max_ = 0;
  std::uint32_t peers_end_ = 0;  // all peers that were met have lower numbers
  bool knows_others_ = false;    // processes of other jobs, which do not wait for us at their end
  Process self_{};
  bool in_place_ = false;  // messages may leave from the program's memory, without a copy
  bool injects_ = false;
  NetworkPeer* first_filling_ = nullptr;
  std::uint64_t looks_ = 0;
  std::uint32_t wishes_due_ = 0;  // the number of peers that are to be told
  const lockfree::ChannelLine* own_channel_ = nullptr;
  SendBuffer* free_buffers_ = nullptr;
  std::uint32_t buffers_made_ = 0;
  std::uint32_t buffers_out_ = 0;  // being filled, or on their way
  platform::Lock peers_lock_;
  platform::Lock buffers_lock_;
  platform::Lock greeting_lock_;
};

// This is the network of this process. Tests that play several processes put another in its place.
extern Network* own_network;
inline Network& network() {
  return *own_network;
}

}  // namespace baton::transport::network
