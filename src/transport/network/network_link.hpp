// This is the link over the network to a peer on another node: each line goes as a packet of the
// provider. It has no lanes. The inbox, too, is here; all peers' packets come to it.
#pragma once

#include "transport/link.hpp"
#include "transport/network/network.hpp"

namespace baton::transport::network {

class NetworkLink final : public Link {
 public:
  explicit NetworkLink(Process process) : process_(process) {}

  Error begin() override;
  bool has_begun() const override { return peer_ != nullptr; }
  // Only the provider knows whether there is space, so `put` has to try.
  bool has_space(std::uint32_t) override { return true; }
  bool put(Header header, Envelope envelope, const void* payload, std::size_t bytes) override;
  // Puts a message that may wait for others to the same peer.
  bool put(Header header, Envelope envelope, const void* payload, std::size_t bytes,
           Together together);
  // Puts a message from the program's memory, which stays as it is until `operation` is done.
  bool put_in_place(Header header, Envelope envelope, const void* payload, std::size_t bytes,
                    PacketEnds& ends, Operation& operation);
  bool envelopes_only() const override {
    return peer_ && (platform::load_shared(peer_->its_wishes) & wish_envelopes_only);
  }
  bool is_exclusive() const override { return false; }
  std::uint64_t sent_lines() const override { return 0; }
  bool has_taken(std::uint64_t) override { return false; }
  bool has_adverts() const override { return false; }
  bool pull_wished(int) const override { return false; }
  bool is_open() const override { return false; }
  void set_envelopes_only(bool on) override;
  void announce_adverts() override {}
  bool wishes_pulls() const override { return false; }
  void wish_pull(int, bool) override {}

  // libfabric's error by which sending to the peer has failed for good; 0: it has not.
  int lost() const { return peer_ ? peer_->lost : 0; }
  // This is the peer, for the rendezvous. The link must have begun.
  NetworkPeer& peer() { return *peer_; }

 private:
  Process process_;
  NetworkPeer* peer_ = nullptr;
};

class NetworkInbox final : public Inbox {
 public:
  Header peek() override;
  Process sender() const override { return static_cast<Process>(sender_); }
  Envelope envelope() const override { return message_.envelope; }
  void read(void* target, std::size_t wanted) const override;
  const void* payload() const override;
  void take(void* target, std::size_t wanted, std::size_t bytes) override;
  // This does nothing, because each sender is told by its own link.
  void set_envelopes_only(bool) override {}
  // Gives back the packets that it holds, before the endpoint is closed.
  void forget();
  // Drops what is left of a process's packet, before the network forgets that process.
  void drop_packet_of(Process process);

 private:
  bool next_packet();
  bool open_packet(ReceiveBuffer& buffer);
  void tell_fault(PacketFault fault, std::uint32_t sender);

  ReceiveBuffer* packet_ = nullptr;  // the packet that is read now
  NetworkPeer* peer_ = nullptr;      // the packet's sender
  std::uint32_t sender_ = 0;
  std::size_t at_ = 0;   // offset of the present message
  std::size_t end_ = 0;  // end of the packet
  PacketMessage message_{};
  std::uint32_t faults_told_ = 0;
};

}  // namespace baton::transport::network
