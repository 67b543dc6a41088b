// How lines get to a peer: by a ring of our own there, by the one that senders share, or as a model
// of the deposit study has it; and how a peer is met. In a job of many ranks all begin in the
// shared ring, which costs neither memory nor a system call; who sends much gets a ring of its own,
// while there are any. The line that says so is the last in the shared ring, so that order holds.
#include <new>

#include "base/settings.hpp"
#include "message/deposit_model.hpp"
#include "message/protocol.hpp"
#include "platform/futex.hpp"

namespace baton::message {

namespace {

// More contacts than this are found by doorbells, fewer by looking at each ring.
constexpr std::uint32_t polled_contacts_max = 16;  // guess
// So many messages through the shared ring before a peer is worth a ring.
constexpr std::uint32_t shared_sends_max = 16;  // guess

Peer* make_peer(std::uint32_t rank) {
  Peer* peer = new (std::nothrow) Peer;
  if (!peer) return nullptr;
  peer->rank = rank;
  peer->doorbell = &transport::arena.doorbell(rank);
  peer->place = lockfree::peer_class(transport::arena.row(engine.rank).launcher.place,
                                     transport::arena.row(rank).launcher.place);
  // relaxed: nobody else knows it yet.
  peer->history.store(&engine.shared_history[static_cast<int>(peer->place)],
                      std::memory_order_relaxed);
  // ORDER engine.peers: release here, acquire in known_peer.
  std::atomic_ref(engine.peers[rank]).store(peer, std::memory_order_release);
  return peer;
}

// A history of its own, before it has a ring. False when memory is short.
bool give_history(Peer& peer) {
  if (has_history(peer)) return true;
  History* own = new (std::nothrow) History;
  if (!own) return false;
  History* shared = &peer.past();
  // ORDER peer.history: release here, acquire in Peer::past; it is zeroed.
  if (!peer.history.compare_exchange_strong(shared, own, std::memory_order_release,
                                            std::memory_order_relaxed))
    delete own;  // relaxed: another thread was first
  return true;
}

// From now on peers ring when they have published, and we look only where it rang.
void trust_doorbells() {
  engine.doorbells = true;
  lockfree::announce(transport::arena.doorbell(engine.rank), lockfree::wake_doorbell);
  if (engine.senders_fence)
    lockfree::Hardware::full_fence();
  else
    platform::membarrier_all();
  for (std::uint32_t i = 0; i < engine.contact_count; ++i) poll_peer(*engine.contacts[i]);
}

// Memory for a ring of ours at a peer, and for what is remembered of it; false, explained.
bool reserve_ring(Peer& peer) {
  std::uint64_t ring = transport::arena.layout.rings + engine.rank * lockfree::ring_bytes;
  if (transport::reserve(peer.rank, ring, lockfree::ring_bytes) != MPI_SUCCESS) return false;
  if (give_history(peer)) return true;
  (void)fail(MPI_ERR_NO_MEM, "no memory to contact rank %u", peer.rank);
  return false;
}

bool is_in_contact(Peer& peer) {
  platform::Guard sending(peer.send_lock);
  return peer.link != Link::none;
}

// Under the send lock.
void attach_ring(Peer& peer) {
  peer.out.attach(transport::arena.ring(peer.rank, engine.rank),
                  transport::arena.consumer(peer.rank, engine.rank));
  peer.link = Link::ring;
}

// The same where rings are shared, if the peer has one left.
bool take_own_ring(Peer& peer) {
  auto& own = transport::arena.shared_ring_control(peer.rank).rings.own;
  // relaxed: only the count counts.
  const auto before = static_cast<std::int32_t>(own.fetch_add(1, std::memory_order_relaxed));
  if (before < transport::arena.job->rings.own_max && reserve_ring(peer)) return true;
  own.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

}  // namespace

Peer* meet(std::uint32_t rank) {
  if (Peer* peer = known_peer(rank); BATON_LIKELY(peer != nullptr)) return peer;
  platform::Guard guard(engine.contact_lock);
  Peer* peer = engine.peers[rank];
  return peer ? peer : make_peer(rank);
}

Peer* contact(std::uint32_t rank) {
  Peer* peer = meet(rank);
  if (!peer) {
    (void)fail(MPI_ERR_NO_MEM, "no memory to contact rank %u", rank);
    return nullptr;
  }
  platform::Guard guard(engine.contact_lock);
  if (is_in_contact(*peer)) return peer;
  if (BATON_UNLIKELY(settings.deposit_model)) return contact_deposit(peer, rank);
  const bool shared = transport::arena.job->rings_shared;
  // Claim last: memory for the ring first, then the announcement.
  if (!shared && !reserve_ring(*peer)) return nullptr;
  platform::Guard sending(peer->send_lock);
  if (shared) {
    peer->shared_out.attach(transport::arena.shared_ring(rank),
                            &transport::arena.shared_ring_control(rank), engine.rank);
    peer->link = Link::shared_ring;
    return peer;
  }
  attach_ring(*peer);
  notify_slow(rank);  // the bit makes the ring known there
  return peer;
}

void open_ring(Peer& peer) {
  (void)give_history(peer);  // without memory for it nothing is observed
  peer.in.attach(transport::arena.ring(engine.rank, peer.rank),
                 transport::arena.consumer(engine.rank, peer.rank));
  engine.contacts[engine.contact_count++] = &peer;
  if (engine.contact_count == polled_contacts_max + 1) trust_doorbells();
  if (transport::arena.job->rings_shared) poll_peer(peer);
}

bool has_room(Peer& peer, std::uint32_t lines) {
  return peer.link != Link::ring || peer.out.has_room(lines);
}

bool wants_envelopes_only(const Peer& peer) {
  return peer.link == Link::ring ? peer.out.envelopes_only() : peer.shared_out.envelopes_only();
}

bool put_line(Peer& peer, LineKind kind, std::int32_t source, lockfree::Envelope envelope,
              const void* payload, std::size_t bytes) {
  const auto in_ring = kind == LineKind::payload ? bytes : 0;
  const auto header = lockfree::make_header(static_cast<unsigned>(kind), in_ring, source);
  if (peer.link == Link::ring) {
    if (!peer.out.has_room(lockfree::lines_for(bytes))) return false;
    peer.out.put_long(header, envelope, static_cast<const char*>(payload), bytes);
    return true;
  }
  if (!peer.shared_out.put(header, envelope, payload, bytes)) return false;
  ++peer.shared_sends;
  count(engine.counters.shared_ring);
  return true;
}

void get_ring_if_due(Peer& peer) {
  if (peer.link != Link::shared_ring || peer.shared_sends < shared_sends_max || peer.ring_refused)
    return;
  if (!peer.ring_reserved) peer.ring_reserved = take_own_ring(peer);
  peer.ring_refused = !peer.ring_reserved;
  if (peer.ring_refused || !put_line(peer, LineKind::ring, 0, {0, 0}, nullptr, 0)) return;
  attach_ring(peer);
  count(engine.counters.own_rings);
}

}  // namespace baton::message
