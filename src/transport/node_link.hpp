// This is the link through the node's shared memory: by a ring of our own at the peer, or by the
// one that senders to it share. With few ranks each pair has its own ring from the beginning. With
// many ranks all begin in the shared ring, which costs neither memory nor a system call, and a
// sender that sends much gets a ring of its own, while there are any. The line that announces this
// is its last in the shared ring, so that order holds (docs/decisions/shared-rings.md).
#pragma once

#include "base/error.hpp"
#include "transport/arena.hpp"
#include "transport/link.hpp"

namespace baton::transport {

class NodeLink final : public Link {
 public:
  NodeLink(Slot peer, LineSender& out, LineReceiver& in);

  Error begin() override;
  bool has_begun() const override { return out_.attached() || shared_.attached(); }
  bool wants_lane() override;
  void use_lane() override;
  void open_lane() override;
  bool has_space(std::uint32_t lines) override;
  bool put(Header header, Envelope envelope, const void* payload, std::size_t bytes) override;
  bool envelopes_only() const override;
  void look() override;
  bool is_exclusive() const override { return out_.attached(); }
  std::uint64_t sent_lines() const override { return out_.sent_lines(); }
  bool has_taken(std::uint64_t lines) override { return out_.has_taken(lines); }
  bool has_adverts() const override { return out_.has_adverts(); }
  bool pull_wished(int kind) const override { return out_.pull_wished(kind); }
  bool is_open() const override { return in_.attached(); }
  void set_envelopes_only(bool on) override { in_.set_envelopes_only(on); }
  void announce_adverts() override { in_.announce_adverts(); }
  bool wishes_pulls() const override { return in_.wishes_pulls(); }
  void wish_pull(int kind, bool on) override { in_.wish_pull(kind, on); }

 private:
  [[nodiscard]] Error reserve_ring();
  bool take_own_ring();

  // The two parts of the peer's slot are apart, since that is shorter.
  Slot peer() const { return {arena_, index_}; }

  Arena& arena_;
  LineSender& out_;
  LineReceiver& in_;
  lockfree::SharedSendRing<Hardware> shared_;
  std::uint32_t index_;
  std::uint16_t shared_sends_ = 0;
  bool own_refused_ = false;   // the peer has no ring left, or there is no memory
  bool own_reserved_ = false;  // the ring has memory; the line that announces it waits for space
};

// This is the inbox of the ring that all senders to this rank share.
class SharedInbox final : public Inbox {
 public:
  explicit SharedInbox(Slot own);
  Header peek() override;
  Process sender() const override;
  Envelope envelope() const override { return ring_.envelope(); }
  void read(void* target, std::size_t wanted) const override { ring_.read(target, wanted); }
  void take(void* target, std::size_t wanted, std::size_t bytes) override;
  void set_envelopes_only(bool on) override { ring_.set_envelopes_only(on); }

 private:
  Slot own_;
  lockfree::ReceiveRing<Hardware, lockfree::shared_ring_lines> ring_;
};

// Returns the inbox of the ring that all senders to this process's slot share; null: no memory.
Inbox* make_inbox(Slot own);

// Makes a link to a process of this node. The lanes belong to its peer, which keeps them beside the
// link. Null: no memory.
Link* make_node_link(Slot peer, LineSender& out, LineReceiver& in);

}  // namespace baton::transport
