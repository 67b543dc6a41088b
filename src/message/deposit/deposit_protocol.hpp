// The five models of the deposit study (MPI over VMMC for Myrinet, 2000), so that it can be
// repeated on shared memory: one setting, deposit_model, sends all messages between ranks through
// byte rings (lockfree/deposit_ring.hpp) in the way of a model; docs/decisions/deposit-models.md
// says what each does. A protocol of its own: with a model on, no peer's lane is ever attached, so
// that every fast path declines by itself. Matching is the library's own, and so are the slots of
// synchronous sends, which have rendezvous entries of the node's protocol.
#pragma once

#include "message/node/node_protocol.hpp"

namespace baton::message {

struct DepositPeer;

class DepositProtocol final : public NodeProtocol {
 public:
  explicit DepositProtocol(transport::Slot own) : NodeProtocol(own) {}
  // Explained.
  [[nodiscard]] Error set_up();

  Peer* make_peer(Process process) override;
  void forget_peer(Peer* peer) override;
  Error begin(Peer& peer) override;
  bool look(Peer& peer) override;
  bool put(Peer& peer, Request& request) override;
  bool put_active(Peer& peer, transport::Envelope envelope, const void* payload,
                  std::size_t bytes) override;
  Error carries_active() const override;
  void settings_changed() override {}
  bool arrive(ArrivedLine& line) override;
  void accept(UnexpectedMessage& unexpected, Request& receive) override;
  void advertise(const MatchQueue& queue, Request& receive, Peer& sender) override;
  bool close_advert(Request& receive) override;
  bool advance() override;

 private:
  DepositPeer* open_peers_ = nullptr;  // whose ring to us is in use; under the progress lock
};

}  // namespace baton::message
