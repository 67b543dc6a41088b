// The protocol of processes of the same node: eager messages in lanes or a shared ring, a
// rendezvous through the node's memory. What each step does is in the other files of this folder.
#pragma once

#include "message/node/death.hpp"
#include "message/node/departure.hpp"
#include "message/node/node_messages.hpp"

namespace baton::message {

class NodeProtocol : public NodeMessages {
 public:
  explicit NodeProtocol(transport::Slot own) : NodeMessages(own) {}
  // Explained.
  [[nodiscard]] Error set_up();

  Peer* make_peer(Process process) override;
  void forget_peer(Peer* peer) override;
  Error begin(Peer& peer) override;
  bool look(Peer& peer) override;
  void start(Peer& peer, Request& send) override;
  bool put(Peer& peer, Request& request) override;
  bool put_active(Peer& peer, transport::Envelope envelope, const void* payload,
                  std::size_t bytes) override;
  bool arrive(ArrivedLine& line) override;
  bool claim(UnexpectedMessage& unexpected) override;
  bool is_withdrawn(const UnexpectedMessage& unexpected) const override;
  void accept(UnexpectedMessage& unexpected, Request& receive) override;
  void advertise(const MatchQueue& queue, Request& receive, Peer& sender) override;
  bool close_advert(Request& receive) override;
  bool buffer_late_send(Request& send) override;
  bool take_back_send(Request& send) override;
  void take_back_sends(bool (*is_doomed)(const Request& send), List<Request>& taken) override;
  bool is_moving(const Request& request) const override;
  lockfree::ChannelClass channel_of(Process process) override;
  Error explain_loss(Process process, int error) const override;
  void end_lost(Peer& peer) override;
  void fail_request(Request& request, Error error) override;
  void settings_changed() override;
  bool has_left() const override;
  void report(TrafficRecord& record) const override;
  bool advance() override;
  bool needs_progress() const override;
  bool waits_for_space() const override;

  // Lines come through an inbox from now on, which is ours.
  void use_inbox(transport::Inbox* lines);

  // Ends the use of an arena of meeting, in which nothing is under way and nobody is met any more;
  // and serves another one, before set_up.
  void close();
  void move_to(transport::Slot own);

 protected:
  // Returns whether the peers are of other jobs.
  bool is_of_meeting() const { return own_slot != transport::Slot(engine.local_rank); }
  Departures departures;  // of a meeting
  Deaths deaths;          // of the own job
  // Makes a peer of this class, or of one derived from it, complete; false: no memory, and it is
  // gone.
  bool complete_peer(NodePeer* peer, Process process);
};

}  // namespace baton::message
