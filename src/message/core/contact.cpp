// How a peer is met: the first message to it, or from it, makes it and its link; and how its lines
// are put where no inlined code does that. What a link is says transport/link.hpp.
#include <new>

#include "message/core/protocol.hpp"
#include "message/network/advert.hpp"
#include "platform/futex.hpp"

namespace baton::message {

namespace {

// More contacts than this are found by doorbells, fewer by looking at each lane.
constexpr std::uint32_t polled_contacts_max = 16;  // guess

// Of peers on other nodes, whom a packet itself wakes: never wants attention.
constinit transport::Doorbell nobodys_doorbell{};

Peer* make_peer(Process process) {
  Peer* peer = new (std::nothrow) Peer;
  if (!peer) return nullptr;
  peer->link = engine.make_link(process, peer->out, peer->in);
  if (!peer->link) {
    delete peer;
    return nullptr;
  }
  peer->process = process;
  peer->local_rank = transport::local_rank_of(process);
  if (peer->is_remote() && !(peer->adverts = make_adverts())) {
    delete peer->link;
    delete peer;
    return nullptr;
  }
  peer->doorbell = peer->is_remote() ? &nobodys_doorbell : &transport::doorbell(peer->local_rank);
  peer->peer_class = lockfree::peer_class(place_of(engine.self), place_of(process));
  // relaxed: nobody else knows it yet.
  peer->history.store(&engine.shared_history[static_cast<int>(peer->peer_class)],
                      std::memory_order_relaxed);
  // ORDER engine.peers: release here, acquire in known_peer.
  std::atomic_ref(engine.peers[number_of(process)]).store(peer, std::memory_order_release);
  return peer;
}

// A history of its own, before it has a lane. False when memory is short.
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
  lockfree::announce(transport::doorbell(engine.local_rank), lockfree::wake_doorbell);
  if (engine.senders_fence)
    lockfree::Hardware::full_fence();
  else
    platform::membarrier_all();
  for (std::uint32_t i = 0; i < engine.contact_count; ++i) poll_peer(*engine.contacts[i]);
}

bool is_in_contact(Peer& peer) {
  platform::Guard sending(peer.send_lock);
  return peer.link->has_begun();
}

}  // namespace

Peer* meet(Process process) {
  if (Peer* peer = known_peer(process); BATON_LIKELY(peer != nullptr)) return peer;
  platform::Guard guard(engine.contact_lock);
  Peer* peer = engine.peers[number_of(process)];
  return peer ? peer : make_peer(process);
}

Peer* contact(Process process) {
  Peer* peer = meet(process);
  if (!peer) {
    (void)fail(MPI_ERR_NO_MEM, "no memory to contact rank %u", world_rank(process));
    return nullptr;
  }
  platform::Guard guard(engine.contact_lock);
  if (is_in_contact(*peer)) return peer;
  return engine.protocol->begin(*peer) == MPI_SUCCESS ? peer : nullptr;
}

Error begin_link(Peer& peer) {
  // Only a pair that shares its way to others does without a history of its own.
  if ((!engine.inbox || peer.is_remote()) && !give_history(peer))
    return fail(MPI_ERR_NO_MEM, "no memory to contact rank %u", world_rank(peer.process));
  platform::Guard sending(peer.send_lock);
  if (Error error = peer.link->begin()) return error;
  if (peer.out.attached()) notify_slow(peer.local_rank);  // the bit makes the lane known there
  return MPI_SUCCESS;
}

void open_lane(Peer& peer) {
  (void)give_history(peer);  // without memory for it nothing is observed
  peer.link->open_lane();
  if (!peer.in.attached()) return;  // a link without lanes
  engine.contacts[engine.contact_count++] = &peer;
  if (engine.contact_count == polled_contacts_max + 1) trust_doorbells();
  if (engine.inbox) poll_peer(peer);
}

bool put_line(Peer& peer, LineKind kind, std::int32_t source, lockfree::Envelope envelope,
              const void* payload, std::size_t bytes) {
  // What is longer than a line says how long it is.
  const bool varies = kind == LineKind::payload || kind == LineKind::active;
  const auto in_lines = varies ? bytes : 0;
  const auto header = lockfree::make_header(static_cast<unsigned>(kind), in_lines, source);
  if (!peer.link->put(header, envelope, payload, bytes)) return false;
  if (!peer.out.attached() && !peer.is_remote()) count(engine.counters.shared_ring);
  return true;
}

void get_lane_if_due(Peer& peer) {
  if (peer.out.attached() || !peer.link->wants_lane() || !give_history(peer)) return;
  if (!put_line(peer, LineKind::lane, 0, {0, 0}, nullptr, 0)) return;
  peer.link->use_lane();
  count(engine.counters.own_rings);
}

}  // namespace baton::message
