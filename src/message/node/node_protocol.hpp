// The protocol of processes of the same node: eager messages in lanes or a shared ring, a
// rendezvous through the node's memory. This is its part of the engine, which the files of this
// folder share.
#pragma once

#include "message/core/protocol.hpp"
#include "message/node/node_peer.hpp"
#include "message/node/offers.hpp"

namespace baton::message {

// Receives that streams fill, by the numbers of the streams; null: free. Under its lock.
struct IncomingStreams {
  Request** receives = nullptr;
  std::uint32_t size = 0;
  platform::Lock lock;
};

class NodeProtocol : public Protocol {
 public:
  // Explained.
  [[nodiscard]] Error set_up();
  ~NodeProtocol() override;

  Peer* make_peer(Process process) override;
  void forget_peer(Peer* peer) override;
  Error begin(Peer& peer) override;
  bool look(Peer& peer) override;
  bool put(Peer& peer, Request& request) override;
  bool put_active(Peer& peer, transport::Envelope envelope, const void* payload,
                  std::size_t bytes) override;
  bool arrive(ArrivedLine& line) override;
  bool claim(UnexpectedMessage& unexpected) override;
  bool is_withdrawn(const UnexpectedMessage& unexpected) const override;
  void accept(UnexpectedMessage& unexpected, Request& receive) override;
  void advertise(const MatchQueue& queue, Request& receive, Peer& sender) override;
  bool close_advert(Request& receive) override;
  bool take_back_send(Request& send) override;
  bool is_moving(const Request& request) const override;
  lockfree::ChannelClass channel_of(Process process) override;
  bool has_left() const override;
  void report(TrafficRecord& record) const override;
  bool advance() override;
  bool needs_progress() const override;
  bool waits_for_room() const override;

  // What is under way, so that progress looks at it.
  void count_offers(std::uint32_t number) {
    platform::add_shared(open_offers, number);
    add(number);
  }
  void count_streams(std::uint32_t number) {
    platform::add_shared(stream_count, number);
    add(number);
  }

  // Lines come through an inbox from now on, which is ours.
  void use_inbox(transport::Inbox* lines);

  // The link of a peer; null: no memory.
  transport::Link* (*make_link)(Process process, transport::LineSender& out,
                                transport::LineReceiver& in) = nullptr;
  // Where lines come that no lane of a pair's own carries, or null; and what of them is kept.
  transport::Inbox* inbox = nullptr;
  Account inbox_account;
  std::int64_t cma_bytes_min = 0;  // the setting, or what is better where ranks are oversubscribed
  Timings* shared_timings = nullptr;  // by class of peers
  OfferSlots offers;
  std::uint32_t open_offers = 0;
  std::uint32_t withdrawn_offers = 0;  // of these; their receivers have not looked yet
  IncomingStreams incoming;
  List<Request> streams_out;
  List<Request> streams_in;
  std::uint32_t stream_count = 0;  // sends and receives that stream now
  std::int64_t copy_ticks = 0;     // that went into long copies (copy_time.hpp)

 protected:
  // Makes a peer of this class, or of one derived from it, complete; false: no memory, and it is
  // gone.
  bool complete_peer(NodePeer* peer, Process process);
};

inline NodeProtocol& node() {
  return static_cast<NodeProtocol&>(*engine.protocols[static_cast<int>(PeerKind::node)]);
}
// A peer of this node that was met.
inline NodePeer& node_peer(Process process) {
  return static_cast<NodePeer&>(peer_of(process));
}

// --- lines to a peer, under its send lock.
// Puts a line, or a message in as many as it needs; false, and nothing has happened, when there is
// no room.
bool put_line(NodePeer& peer, unsigned kind, std::int32_t source, lockfree::Envelope envelope,
              const void* payload, std::size_t bytes);
inline bool put_line(NodePeer& peer, LineKind kind, std::int32_t source,
                     lockfree::Envelope envelope, const void* payload, std::size_t bytes) {
  return put_line(peer, static_cast<unsigned>(kind), source, envelope, payload, bytes);
}
inline bool put_line(NodePeer& peer, NodeLine kind, std::int32_t source,
                     lockfree::Envelope envelope, const void* payload, std::size_t bytes) {
  return put_line(peer, static_cast<unsigned>(kind), source, envelope, payload, bytes);
}
// A peer that shares its way there gets one of its own, where it is worth it and there is one left.
void get_lane_if_due(NodePeer& peer);

}  // namespace baton::message
