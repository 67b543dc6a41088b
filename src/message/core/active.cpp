#include "message/core/active.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "message/core/protocol.hpp"

namespace baton::message {

static_assert(active_bytes_max <= transport::bytes_in_lines_max / 2);

namespace {

// One that waits for room; its payload stands behind it.
struct Waiting {
  Request request;
  lockfree::Envelope envelope;
  char* payload() { return reinterpret_cast<char*>(this + 1); }
};

ActiveHandler handlers[static_cast<std::size_t>(ActiveKind::count)];

// Null without memory.
Waiting* keep(lockfree::Envelope envelope, const void* payload, std::size_t bytes) {
  void* memory = std::malloc(sizeof(Waiting) + bytes);
  if (!memory) return nullptr;
  auto* waiting = new (memory) Waiting{{}, envelope};
  waiting->request.kind = RequestKind::active;
  waiting->request.bytes = static_cast<std::int64_t>(bytes);
  if (bytes) std::memcpy(waiting->payload(), payload, bytes);
  return waiting;
}

Error send_to_peer(Peer& peer, lockfree::Envelope envelope, const void* payload,
                   std::size_t bytes) {
  platform::Guard sending(peer.send_lock);
  if (!peer.queued.first && peer.protocol->put_active(peer, envelope, payload, bytes))
    return MPI_SUCCESS;
  Waiting* waiting = keep(envelope, payload, bytes);
  if (!waiting) return fail(MPI_ERR_NO_MEM, "no memory for a message between ranks");
  wait_in_queue(peer, waiting->request);
  return MPI_SUCCESS;
}

}  // namespace

void handle_active(ActiveKind kind, ActiveHandler handler) {
  handlers[static_cast<std::size_t>(kind)] = handler;
}

Error send_active(Process process, ActiveKind kind, std::int32_t word, const void* payload,
                  std::size_t bytes) {
  BATON_INVARIANT(bytes <= active_bytes_max);
  Peer* peer = contact(process);
  if (!peer) return MPI_ERR_NO_MEM;
  if (Error error = peer->protocol->carries_active()) return error;
  return send_to_peer(*peer, {static_cast<std::uint32_t>(kind), word}, payload, bytes);
}

bool put_waiting_active(Peer& peer, Request& request) {
  auto* waiting = reinterpret_cast<Waiting*>(&request);
  if (!peer.protocol->put_active(peer, waiting->envelope, waiting->payload(),
                                 static_cast<std::size_t>(request.bytes)))
    return false;
  std::free(waiting);
  return true;
}

void drop_active(Request& request) {
  std::free(reinterpret_cast<Waiting*>(&request));
}

void arrive_active(Process sender, lockfree::Envelope envelope, const void* payload,
                   std::size_t bytes) {
  BATON_INVARIANT(envelope.context < std::size(handlers) && handlers[envelope.context] != nullptr);
  handlers[envelope.context]({sender, envelope.tag, payload, bytes});
}

}  // namespace baton::message
