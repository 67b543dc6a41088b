// The shortest complete protocol, to test that another one can be added without touching the core,
// and to read (docs/architecture.md, "How do I add a transport?"): a peer is at the other end of a
// socket. Short messages go at once, with their envelope; long and synchronous ones as in every
// rendezvous: the envelope (RTS), the receiver's answer (CTS), the data in parts. One thread only.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <vector>

#include "datatype/pack.hpp"
#include "message/core/arrive.hpp"
#include "message/core/contact.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/queue.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "tests/message/socket_peer.hpp"

namespace baton::message {

class SocketProtocol final : public Protocol {
 public:
  static constexpr std::int64_t eager_bytes_max = 512;

  // The ends of the sockets to other processes.
  explicit SocketProtocol(std::map<Process, int> sockets) : sockets_(std::move(sockets)) {
    engine.sources.make_known(*this);
    add(1);  // it looks into its sockets in every round of progress
  }
  ~SocketProtocol() override {
    for (auto [process, socket] : sockets_) close(socket);
  }

  // --- peers
  Peer* make_peer(Process process) override {
    auto* peer = new SocketPeer;
    peer->socket = sockets_.at(process);
    return peer;
  }
  void forget_peer(Peer* peer) override { delete &cast(*peer); }
  Error begin(Peer&) override { return MPI_SUCCESS; }

  // --- sending
  bool put(Peer& peer, Request& request) override {
    if (cast(peer).is_full()) return false;
    if (request.kind == RequestKind::receive) return put_cts(cast(peer), request);
    if (request.synchronous || request.bytes > eager_bytes_max) return put_rts(cast(peer), request);
    char packed[eager_bytes_max];
    datatype::pack(*request.datatype, request.buffer, 0, packed, request.bytes);
    cast(peer).put(static_cast<unsigned>(LineKind::payload), request.source,
                   {request.context, request.tag}, packed, static_cast<std::size_t>(request.bytes));
    complete(request, MPI_SUCCESS);
    return true;
  }
  bool put_active(Peer& peer, transport::Envelope envelope, const void* payload,
                  std::size_t bytes) override {
    if (cast(peer).is_full()) return false;
    cast(peer).put(static_cast<unsigned>(LineKind::active), 0, envelope, payload, bytes);
    return true;
  }

  // --- receiving
  bool arrive(ArrivedLine& line) override {
    switch (static_cast<SocketLine>(line.kind())) {
      case SocketLine::rts:
        arrive_rts(line);
        break;
      case SocketLine::cts:
        arrive_cts(line.take<SocketCts>());
        break;
      case SocketLine::data:
        arrive_data(line.take<SocketData>());
        break;
      case SocketLine::cancel:
        give_back(line);
        break;
      case SocketLine::cancelled:
        end_cancelled(line.take<SocketRts>().send);
        break;
    }
    return false;
  }
  void accept(UnexpectedMessage& unexpected, Request& receive) override {
    receive.position = 0;
    receive.part.begin<SocketPart>() = {number(receive), unexpected.part.as<SocketRts>().send,
                                        receive.bytes};
    submit(peer_of(unexpected.process), receive);
  }

  // --- cancelling: the receiver is asked.
  bool take_back_send(Request& send) override {
    const SocketRts line{0, send.part.as<SocketPart>().number};
    cast(peer_of(send.process)).put(SocketLine::cancel, {send.context, send.source}, line);
    return false;
  }

  // --- progress
  bool advance() override {
    bool any = false;
    for (std::size_t i = 0; i < sending_.size(); ++i) any |= send_part(*sending_[i]);
    std::erase_if(sending_, [this](Request* send) { return end_if_over(*send); });
    for (auto [process, socket] : sockets_) {
      SocketPeer& peer = cast(*meet(process));  // it may be the first message from there
      any |= peer.flush() | peer.fetch();
      SocketInbox inbox(peer);
      any |= poll_inbox(inbox, nullptr, nullptr);
    }
    return any;
  }
  bool has_left() const override {
    return sending_.empty() &&
           std::all_of(sockets_.begin(), sockets_.end(),
                       [](const std::pair<const Process, int>& one) {
                         const Peer* peer = known_peer(one.first);
                         return !peer || static_cast<const SocketPeer*>(peer)->unsent.empty();
                       });
  }
  bool needs_progress() const override { return !has_left(); }
  void plan_sleep(SleepPlan& plan) override {
    for (auto [process, socket] : sockets_) plan.descriptors[plan.count++] = {socket, POLLIN, 0};
  }

 private:
  static SocketPeer& cast(Peer& peer) { return static_cast<SocketPeer&>(peer); }

  // Requests have numbers here that the other side names.
  std::uint32_t number(Request& request) {
    requests_[++last_number_] = &request;
    return last_number_;
  }
  bool put_rts(SocketPeer& peer, Request& send) {
    const std::uint32_t own = number(send);
    send.part.begin<SocketPart>().number = own;
    send.stage = Stage::offered;
    peer.put(SocketLine::rts, {send.context, send.tag}, SocketRts{send.bytes, own}, send.source);
    return true;
  }
  bool put_cts(SocketPeer& peer, Request& receive) {
    const SocketPart& part = receive.part.as<SocketPart>();
    receive.stage = Stage::streaming;
    peer.put(SocketLine::cts, {0, 0}, SocketCts{part.limit, part.send, part.number});
    if (part.limit == 0) end_receive(receive);
    return true;
  }
  void end_receive(Request& receive) {
    requests_.erase(receive.part.as<SocketPart>().number);
    complete(receive, receive.error);
  }
  bool send_part(Request& send) {
    const SocketPart& part = send.part.as<SocketPart>();
    SocketPeer& peer = cast(peer_of(send.process));
    if (send.position == part.limit || peer.is_full()) return false;
    SocketData line{send.position, 0, part.send, {}};
    line.bytes = std::min<std::int64_t>(sizeof line.data, part.limit - send.position);
    datatype::pack(*send.datatype, send.buffer, send.position, line.data, line.bytes);
    peer.put(SocketLine::data, {0, 0}, line);
    send.position += line.bytes;
    return true;
  }
  bool end_if_over(Request& send) {
    const SocketPart& part = send.part.as<SocketPart>();
    if (send.position < part.limit) return false;
    requests_.erase(part.number);
    complete(send, MPI_SUCCESS);
    return true;
  }
  void arrive_rts(ArrivedLine& line) {
    UnexpectedMessage& unexpected =
        make_unexpected(line.peer(), line.account(), line.source(), line.envelope(), 0);
    unexpected.part.begin<SocketRts>() = line.take<SocketRts>();
    unexpected.bytes = unexpected.part.as<SocketRts>().bytes;
    unexpected.offered = true;
    match_or_keep(unexpected, 0);
  }
  void arrive_cts(const SocketCts& answer) {
    Request& send = *requests_.at(answer.send);
    send.stage = Stage::streaming;
    send.part.as<SocketPart>() = {answer.send, answer.receive, answer.limit};
    sending_.push_back(&send);
  }
  void arrive_data(const SocketData& line) {
    Request& receive = *requests_.at(line.receive);
    datatype::unpack(*receive.datatype, receive.buffer, line.position, line.data, line.bytes);
    receive.position += line.bytes;
    if (receive.position == receive.part.as<SocketPart>().limit) end_receive(receive);
  }
  // If nobody has matched it.
  void give_back(ArrivedLine& message) {
    const transport::Envelope envelope = message.envelope();  // the context, and the source in it
    const auto line = message.take<SocketRts>();
    MatchQueue& queue = queue_of(envelope.context);
    UnexpectedMessage* unexpected = take_wanted(
        queue, envelope.tag,
        [](const UnexpectedMessage& one, const void* mark) {
          return one.offered &&
                 one.part.as<SocketRts>().send == *static_cast<const std::uint32_t*>(mark);
        },
        &line.send);
    if (!unexpected) return;
    drop_unexpected(*unexpected);
    cast(message.peer()).put(SocketLine::cancelled, {0, 0}, line);
  }
  void end_cancelled(std::uint32_t own) {
    Request& send = *requests_.at(own);
    requests_.erase(own);
    send.cancelled = true;
    send.bytes = 0;
    complete(send, MPI_SUCCESS);
  }

  std::map<Process, int> sockets_;
  std::map<std::uint32_t, Request*> requests_;
  std::uint32_t last_number_ = 0;
  std::vector<Request*> sending_;  // whose receivers have answered
};

}  // namespace baton::message
