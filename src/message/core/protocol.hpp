// A protocol: how messages get to the peers of one kind, and from them. Each peer has one, which
// made it (Peer::protocol). It has lines of its own kinds, its part of a request and of an
// unexpected message, and its class of peers; nobody else knows these. What all protocols have in
// common (requests, matching, queues, waiting) calls it here. The fast path of short messages does
// not: it fills and empties the lanes of a peer that has such, and asks no protocol.
// How to write one: docs/architecture.md; the shortest is tests/message/socket_protocol.hpp.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// A first line of a protocol's own kind, where it lies.
class ArrivedLine {
 public:
  ArrivedLine(transport::Header header, Peer& peer, Account& account)
      : header_(header), peer_(peer), account_(account) {}
  // The kind, as a number of the protocol's own.
  unsigned kind() const { return static_cast<unsigned>(header_.kind()); }
  // The sender's rank in the communicator.
  std::int32_t source() const { return header_.source(); }
  Peer& peer() const { return peer_; }
  Account& account() const { return account_; }

  virtual transport::Envelope envelope() const = 0;
  virtual void read(void* target, std::size_t bytes) const = 0;
  // Its room is free again.
  virtual void drop() = 0;

  template <class Line>
  Line read() const {
    Line line;
    read(&line, sizeof line);
    return line;
  }
  template <class Line>
  Line take() {
    Line line = read<Line>();
    drop();
    return line;
  }

 protected:
  ~ArrivedLine() = default;

 private:
  transport::Header header_;
  Peer& peer_;
  Account& account_;
};

// The times at which processes may end without having failed.
enum class Leaving : std::uint8_t {
  any_time,
  together,   // none ends before all have met: until then all that was sent leaves
  has_begun,  // they meet
  is_over     // all have come to their end
};
class Protocol : public ProgressSource {
 public:
  // At the end, when nothing is under way.
  virtual ~Protocol() = default;

  // --- peers
  // A process is met. Null: no memory.
  virtual Peer* make_peer(Process process) = 0;
  virtual void forget_peer(Peer* peer) = 0;
  // Makes sending possible, for good; explains on failure. Under the contact lock.
  [[nodiscard]] virtual Error begin(Peer& peer) = 0;
  // A peer has rung that has no lane to us yet: whether anything has come from it.
  virtual bool look(Peer&) { return false; }

  // --- sending
  // Puts what a request stands for on its way, or as much of it as there is room for; whether that
  // was all. Then the request may be gone. Under the send lock, in the order of the requests.
  virtual bool put(Peer& peer, Request& request) = 0;
  // A send begins: puts it, or queues it. Of a protocol in which nothing waits, another.
  virtual void start(Peer& peer, Request& send);
  // Puts an active message, which has its place among all others to the peer; false: there is no
  // room now. Under the send lock.
  virtual bool put_active(Peer& peer, transport::Envelope envelope, const void* payload,
                          std::size_t bytes) = 0;
  // MPI_SUCCESS; or explained, why it carries no such messages.
  [[nodiscard]] virtual Error carries_active() const { return MPI_SUCCESS; }

  // --- receiving. Who makes progress calls these, and the last one also who posts a receive.
  // A line of the protocol's own kinds has come. Whether its message took long, so that others had
  // better be looked at first.
  virtual bool arrive(ArrivedLine& line) = 0;
  // Returns whether an offered message may still be matched, for good: false, and it is gone, when
  // its sender has cancelled it.
  virtual bool claim(UnexpectedMessage&) { return true; }
  virtual bool is_withdrawn(const UnexpectedMessage&) const { return false; }
  // Receives an offered message that has met its receive, which knows by now what it gets.
  virtual void accept(UnexpectedMessage& unexpected, Request& receive) = 0;

  // --- receives that their senders know (Request::advert is not 0)
  // A receive that was just posted names this peer: makes it known there, where it is worth that.
  // Under the queue's lock.
  virtual void advertise(const MatchQueue&, Request&, Peer&) {}
  // It is matched otherwise, or cancelled; false when its sender uses it already.
  virtual bool close_advert(Request&) { return true; }
  // It is to be cancelled: false where its sender has to be asked first, which ends it then.
  virtual bool may_take_back(Request&) { return true; }

  // --- cancelling
  // A send that is offered: whether it is taken back. Else it goes on, or ends when its receiver
  // has answered.
  virtual bool take_back_send(Request& send) = 0;

  // --- what is known of peers and messages
  // Whether a request moves though this round of progress found nothing.
  virtual bool is_moving(const Request&) const { return false; }
  // outstanding.hpp, of a process that may not have been met.
  virtual lockfree::ChannelClass channel_of(Process) { return lockfree::channel_idle; }
  virtual void tell_channel(Process) {}
  // Why a process is lost, explained: what was on its way fails by it. And what is under way with
  // one that was met ends so, now (loss.hpp). Under the progress lock.
  [[nodiscard]] virtual Error explain_loss(Process process, int error) const;
  virtual void end_lost(Peer&) {}
  // A request that was to be put to a lost peer ends with this error.
  virtual void fail_request(Request& request, Error error);
  // Hears whether other processes may end from now on.
  virtual void expect_leaving(Leaving) {}
  // Returns whether all that was sent has left this process.
  virtual bool has_left() const { return true; }
  // Adds what it has counted, or can tell, beyond the histories of peers.
  virtual void report(TrafficRecord&) const {}
};

// The protocol that a process has, met or not.
Protocol& protocol_of(Process process);
// Who has which, by where they run, in a job as mpiexec starts it.
PeerKind kind_by_place(Process process);
// Returns whether all messages have left this process. Any thread.
bool all_have_left();

}  // namespace baton::message
