#include "message/core/active.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "message/core/protocol.hpp"

namespace baton::message {

static_assert(active_bytes_max <= transport::bytes_in_lines_max / 2);

namespace {

// One that waits for room, or for our own progress; its payload stands behind it.
struct Waiting {
  Request request;
  ActiveKind kind;
  char* payload() { return reinterpret_cast<char*>(this + 1); }
};

ActiveHandler handlers[static_cast<std::size_t>(ActiveKind::count)];

Waiting* keep(ActiveKind kind, std::int32_t word, const void* payload, std::size_t bytes) {
  void* memory = std::malloc(sizeof(Waiting) + bytes);
  if (!memory) return nullptr;
  auto* waiting = new (memory) Waiting{{}, kind};
  waiting->request.kind = RequestKind::active;
  waiting->request.tag = word;
  waiting->request.bytes = static_cast<std::int64_t>(bytes);
  if (bytes) std::memcpy(waiting->payload(), payload, bytes);
  return waiting;
}

bool put(Peer& peer, ActiveKind kind, std::int32_t word, const void* payload, std::size_t bytes) {
  const lockfree::Envelope envelope{static_cast<std::uint32_t>(kind), word};
  if (!put_line(peer, LineKind::active, 0, envelope, payload, bytes)) return false;
  notify(peer);
  return true;
}

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a message between ranks");
}

Error send_to_peer(Peer& peer, ActiveKind kind, std::int32_t word, const void* payload,
                   std::size_t bytes) {
  platform::Guard sending(peer.send_lock);
  if (!peer.queued.first && put(peer, kind, word, payload, bytes)) return MPI_SUCCESS;
  Waiting* waiting = keep(kind, word, payload, bytes);
  if (!waiting) return no_memory();
  wait_in_queue(peer, waiting->request);
  return MPI_SUCCESS;
}

Error send_to_self(ActiveKind kind, std::int32_t word, const void* payload, std::size_t bytes) {
  Waiting* waiting = keep(kind, word, payload, bytes);
  if (!waiting) return no_memory();
  {
    platform::Guard guard(engine.to_self_lock);
    engine.active_to_self.push(&waiting->request);
    platform::add_shared(engine.queued_count, 1u);
  }
  return MPI_SUCCESS;
}

}  // namespace

void handle_active(ActiveKind kind, ActiveHandler handler) {
  handlers[static_cast<std::size_t>(kind)] = handler;
}

Error send_active(Process process, ActiveKind kind, std::int32_t word, const void* payload,
                  std::size_t bytes) {
  BATON_INVARIANT(bytes <= active_bytes_max);
  if (process == engine.self) return send_to_self(kind, word, payload, bytes);
  if (!engine.protocol->carries_active)
    return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                "the deposit models carry no messages of this kind; run without "
                "BATON_DEPOSIT_MODEL");
  Peer* peer = contact(process);
  return peer ? send_to_peer(*peer, kind, word, payload, bytes) : MPI_ERR_NO_MEM;
}

bool put_active(Peer& peer, Request& request) {
  auto* waiting = reinterpret_cast<Waiting*>(&request);
  if (!put(peer, waiting->kind, request.tag, waiting->payload(),
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

bool run_active_to_self() {
  Request* first;
  {
    platform::Guard guard(engine.to_self_lock);
    first = engine.active_to_self.first;
    engine.active_to_self = {};
  }
  for (Request* request = first; request;) {
    auto* waiting = reinterpret_cast<Waiting*>(request);
    request = request->next;
    platform::add_shared(engine.queued_count, ~0u);
    arrive_active(engine.self, {static_cast<std::uint32_t>(waiting->kind), waiting->request.tag},
                  waiting->payload(), static_cast<std::size_t>(waiting->request.bytes));
    std::free(waiting);
  }
  return first != nullptr;
}

}  // namespace baton::message
