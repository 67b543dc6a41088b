#include "message/core/contact.hpp"

#include <algorithm>
#include <new>

#include "message/core/account.hpp"
#include "message/core/engine.hpp"
#include "message/core/protocol.hpp"
#include "platform/futex.hpp"

namespace baton::message {

namespace {

// The doorbell of peers that cannot be rung: it never wants attention.
constinit transport::Doorbell nobodys_doorbell{};

Peer* make_peer(Process process) {
  Protocol& protocol = protocol_of(process);
  Peer* peer = protocol.make_peer(process);
  if (!peer) return nullptr;
  peer->protocol = &protocol;
  peer->process = process;
  peer->peer_class = class_of(process);
  if (!peer->doorbell) peer->doorbell = &nobodys_doorbell;
  // relaxed: nobody else knows it yet.
  peer->history.store(&engine.shared_history[static_cast<int>(peer->peer_class)],
                      std::memory_order_relaxed);
  if (BATON_UNLIKELY(engine.histories_apart)) (void)give_history(*peer);
  // ORDER engine.peers: release here, acquire in known_peer.
  std::atomic_ref(engine.peers[number_of(process)]).store(peer, std::memory_order_release);
  return peer;
}

bool has_begun(const Peer& peer) {
  // ORDER peer.begun: acquire here, release in contact; what its protocol needs is there.
  return peer.begun.load(std::memory_order_acquire);
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
  if (BATON_LIKELY(has_begun(*peer))) return peer;
  platform::Guard guard(engine.contact_lock);
  if (has_begun(*peer)) return peer;
  if (peer->protocol->begin(*peer) != MPI_SUCCESS) return nullptr;
  // ORDER peer.begun: release here, acquire in has_begun.
  peer->begun.store(true, std::memory_order_release);
  return peer;
}

void forget_contact(Process process) {
  platform::Guard guard(engine.contact_lock);
  Peer* peer = engine.peers[number_of(process)];
  if (!peer) return;
  Peer** end = std::remove(engine.contacts, engine.contacts + engine.contact_count, peer);
  engine.contact_count = static_cast<std::uint32_t>(end - engine.contacts);
  // relaxed: whoever could ask for this process holds its group.
  std::atomic_ref(engine.peers[number_of(process)]).store(nullptr, std::memory_order_relaxed);
  if (has_history(*peer)) delete &peer->past();
  peer->protocol->forget_peer(peer);
}

}  // namespace baton::message
