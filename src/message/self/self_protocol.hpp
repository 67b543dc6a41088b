// Messages of a process to itself: no lines; matched and copied in place. Nothing waits.
#pragma once

#include "message/core/protocol.hpp"

namespace baton::message {

class SelfProtocol final : public Protocol {
 public:
  [[nodiscard]] Error set_up();
  ~SelfProtocol() override;

  Peer* make_peer(Process process) override;
  void forget_peer(Peer* peer) override { delete peer; }
  Error begin(Peer&) override { return MPI_SUCCESS; }
  // Without the send lock: what is copied may be long.
  void start(Peer& peer, Request& send) override;
  bool put(Peer& peer, Request& request) override;
  // Waits for our own progress.
  bool put_active(Peer& peer, transport::Envelope envelope, const void* payload,
                  std::size_t bytes) override;
  bool arrive(ArrivedLine& line) override;
  void accept(UnexpectedMessage& unexpected, Request& receive) override;
  bool take_back_send(Request& send) override;
  void take_back_sends(bool (*is_doomed)(const Request& send), List<Request>& taken) override;
  bool has_left() const override { return !is_active(); }
  void report(TrafficRecord& record) const override;
  bool advance() override;

 private:
  struct Active;
  Active* first_ = nullptr;  // active messages; under the lock
  Active* last_ = nullptr;
  platform::Lock lock_;
  Tally sent_[size_class_count];
};

}  // namespace baton::message
