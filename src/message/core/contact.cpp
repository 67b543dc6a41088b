// How a peer is met: the first message to it, or from it, lets its protocol make it.
#include <new>

#include "message/core/protocol.hpp"
#include "platform/futex.hpp"

namespace baton::message {

namespace {

// More contacts than this are found by doorbells, fewer by looking at each lane.
constexpr std::uint32_t polled_contacts_max = 16;  // guess

// Of peers that cannot be rung: never wants attention.
constinit transport::Doorbell nobodys_doorbell{};

Peer* make_peer(Process process) {
  Protocol& protocol = protocol_of(process);
  Peer* peer = protocol.make_peer(process);
  if (!peer) return nullptr;
  peer->protocol = &protocol;
  peer->process = process;
  peer->peer_class = lockfree::peer_class(place_of(engine.self), place_of(process));
  if (!peer->doorbell) peer->doorbell = &nobodys_doorbell;
  // relaxed: nobody else knows it yet.
  peer->history.store(&engine.shared_history[static_cast<int>(peer->peer_class)],
                      std::memory_order_relaxed);
  // ORDER engine.peers: release here, acquire in known_peer.
  std::atomic_ref(engine.peers[number_of(process)]).store(peer, std::memory_order_release);
  return peer;
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

bool has_begun(const Peer& peer) {
  // ORDER peer.begun: acquire here, release in contact; what its protocol needs is there.
  return peer.begun.load(std::memory_order_acquire);
}

}  // namespace

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
  if (BATON_LIKELY(has_begun(*peer))) return peer;
  platform::Guard guard(engine.contact_lock);
  if (has_begun(*peer)) return peer;
  if (peer->protocol->begin(*peer) != MPI_SUCCESS) return nullptr;
  // ORDER peer.begun: release here, acquire in has_begun.
  peer->begun.store(true, std::memory_order_release);
  return peer;
}

void use_lane(Peer& peer) {
  engine.contacts[engine.contact_count++] = &peer;
  if (engine.contact_count == polled_contacts_max + 1) trust_doorbells();
}

}  // namespace baton::message
