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
  // Its space is free again.
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
  // The engine deletes its protocols at its end, when nothing is under way.
  virtual ~Protocol() = default;

  // --- peers
  // Makes the peer of a process that is met; null without memory. And deletes it.
  virtual Peer* make_peer(Process process) = 0;
  virtual void forget_peer(Peer* peer) = 0;
  // Makes sending to the peer possible, for good; explains on failure. Called under the contact
  // lock.
  [[nodiscard]] virtual Error begin(Peer& peer) = 0;
  // Looks at a peer that has rung and has no lane to this rank yet; returns whether anything came.
  virtual bool look(Peer&) { return false; }

  // --- sending
  // Puts what a request stands for on its way, or as much of it as there is space for; returns
  // whether that was all. Then the request may be gone. Called under the send lock, in the order of
  // the requests.
  virtual bool put(Peer& peer, Request& request) = 0;
  // Begins a send: puts it, or queues it. A protocol in which nothing waits has its own way.
  virtual void start(Peer& peer, Request& send);
  // Puts an active message, which keeps its place among all others to the peer; false: there is no
  // space now. Called under the send lock.
  virtual bool put_active(Peer& peer, transport::Envelope envelope, const void* payload,
                          std::size_t bytes) = 0;
  // Returns MPI_SUCCESS, or explains why the protocol carries no active messages.
  [[nodiscard]] virtual Error carries_active() const { return MPI_SUCCESS; }

  // --- receiving. The thread that makes progress calls these; `claim` and `accept` also a thread
  // that posts a receive.
  // Takes in a line of the protocol's own kinds. Returns whether its message took long, so that
  // others had better be looked at first.
  virtual bool arrive(ArrivedLine& line) = 0;
  // Matches an offered message for good. False when its sender has cancelled it: it is gone then.
  virtual bool claim(UnexpectedMessage&) { return true; }
  // Returns whether the sender of an offered message has cancelled it by now.
  virtual bool is_withdrawn(const UnexpectedMessage&) const { return false; }
  // Receives an offered message that has met its receive, which knows by now what it gets.
  virtual void accept(UnexpectedMessage& unexpected, Request& receive) = 0;

  // --- receives that their senders know (Request::advert is not 0)
  // Makes a receive that was just posted and names this peer known there, where it is worth that.
  // Called under the queue's lock.
  virtual void advertise(const MatchQueue&, Request&, Peer&) {}
  // Takes such a receive back before it is matched otherwise, or cancelled; false when its sender
  // uses it already.
  virtual bool close_advert(Request&) { return true; }
  // Returns whether such a receive may be cancelled, or fail, at once. False: its sender is asked,
  // whose answer ends it; being asked to again does no harm.
  virtual bool may_take_back(Request&) { return true; }

  // --- sends whose receive is late
  // Buffers the data of a standard send that waits for its receive, where that is to be done.
  // Returns false where the send has not been offered yet: it is to be asked again later.
  virtual bool buffer_late_send(Request&) { return true; }

  // --- cancelling
  // Takes back a send that is offered; false: it goes on, or ends when its receiver has answered.
  virtual bool take_back_send(Request& send) = 0;

  // --- what is known of peers and messages
  // Takes back the sends that are offered and `is_doomed`, into the list.
  virtual void take_back_sends(bool (*)(const Request& send), List<Request>&) {}

  // Returns whether a send that is offered moves, though this round of progress found nothing.
  virtual bool is_moving(const Request&) const { return false; }
  // These serve outstanding.hpp; the process need not have been met.
  virtual lockfree::ChannelClass channel_of(Process) { return lockfree::channel_idle; }
  virtual void tell_channel(Process) {}
  // Explains why a process is lost: its messages fail by this error (loss.hpp).
  [[nodiscard]] virtual Error explain_loss(Process process, int error) const;
  // Ends all that is under way with a lost peer. Called under the progress lock.
  virtual void end_lost(Peer&) {}
  // Tells processes of other nodes that one of this node has died. Called under the progress lock.
  virtual void tell_of_death(Process) {}
  // Hears from the launcher that a process of another node has died. Called under the progress
  // lock.
  virtual void hear_of_death(Process) {}
  // Ends a request that was to be put to a lost peer with this error.
  virtual void fail_request(Request& request, Error error);
  // Hears whether other processes may end from now on.
  virtual void expect_leaving(Leaving) {}
  // Hears that a tool has changed settings, of which the protocol may keep what it has derived.
  virtual void settings_changed() {}
  // Returns whether all that was sent has left this process.
  virtual bool has_left() const { return true; }
  // Adds to the record what the protocol has counted beyond the histories of peers.
  virtual void report(TrafficRecord&) const {}
};

// Returns the protocol that a process has, met or not.
Protocol& protocol_of(Process process);
// Returns the kind of a process by where it runs: here, on this node, or elsewhere.
PeerKind kind_by_place(Process process);
// Returns whether all messages have left this process. Any thread.
bool all_have_left();

}  // namespace baton::message
