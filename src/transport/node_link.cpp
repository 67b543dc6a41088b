#include "transport/node_link.hpp"

#include <new>

#include "transport/node.hpp"
#include "transport/slice_memory.hpp"

namespace baton::transport {

namespace {

// A peer is worth a ring of its own after this many messages through the shared ring.
constexpr std::uint32_t shared_sends_max = 16;  // guess

}  // namespace

NodeLink::NodeLink(Slot peer, LineSender& out, LineReceiver& in)
    : arena_(*peer.arena), out_(out), in_(in), index_(peer.index) {
  // There are no lines yet, but our wishes can be told from the beginning.
  in_.attach(nullptr, peer.own().consumer(peer));
}

Error NodeLink::reserve_ring() {
  return reserve(peer(), peer().ring_offset(peer().own()), lockfree::ring_bytes);
}

Error NodeLink::begin() {
  if (peer().arena->job->rings_shared) {
    shared_.attach(peer().shared_ring(), &peer().shared_ring_control(), peer().arena->own);
    return MPI_SUCCESS;
  }
  // The ring is claimed last: its memory comes first, then the announcement.
  if (Error error = reserve_ring()) return error;
  use_lane();
  return MPI_SUCCESS;
}

bool NodeLink::take_own_ring() {
  auto& own = peer().shared_ring_control().rings.own;
  // relaxed: only the count matters.
  const auto before = static_cast<std::int32_t>(own.fetch_add(1, std::memory_order_relaxed));
  if (before < peer().arena->job->rings.own_max && reserve_ring() == MPI_SUCCESS) return true;
  own.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

bool NodeLink::wants_lane() {
  if (out_.attached() || shared_sends_ < shared_sends_max || own_refused_) return false;
  if (!own_reserved_) own_reserved_ = take_own_ring();
  own_refused_ = !own_reserved_;
  return own_reserved_;
}

void NodeLink::use_lane() {
  out_.attach(peer().ring(peer().own()), peer().consumer(peer().own()));
}

void NodeLink::open_lane() {
  in_.attach(peer().own().ring(peer()), peer().own().consumer(peer()));
}

bool NodeLink::has_space(std::uint32_t lines) {
  return !out_.attached() || out_.has_space(lines);
}

bool NodeLink::put(Header header, Envelope envelope, const void* payload, std::size_t bytes) {
  if (out_.attached()) {
    if (!out_.has_space(lockfree::lines_for(bytes))) return false;
    out_.put_long(header, envelope, static_cast<const char*>(payload), bytes);
    return true;
  }
  if (!shared_.put(header, envelope, payload, bytes)) return false;
  ++shared_sends_;
  return true;
}

bool NodeLink::envelopes_only() const {
  return out_.attached() ? out_.envelopes_only() : shared_.envelopes_only();
}

void NodeLink::look() {
  if (out_.attached()) out_.look();
}

SharedInbox::SharedInbox(Slot own) : own_(own) {
  ring_.attach(own.shared_ring(), &own.shared_ring_control().consumer);
}

Header SharedInbox::peek() {
  return ring_.peek();
}

Process SharedInbox::sender() const {
  return process_at(own_.at(ring_.peek().sender()));
}

void SharedInbox::take(void* target, std::size_t wanted, std::size_t bytes) {
  if (bytes <= lockfree::first_line_payload_bytes) return ring_.take(target, wanted);
  // Its lines became visible together.
  (void)ring_.take_long(static_cast<char*>(target), wanted, bytes, [] { return false; });
}

Link* make_node_link(Slot peer, LineSender& out, LineReceiver& in) {
  return new (std::nothrow) NodeLink(peer, out, in);
}

Inbox* make_inbox(Slot own) {
  return new (std::nothrow) SharedInbox(own);
}

}  // namespace baton::transport
