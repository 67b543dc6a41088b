#include "message/core/queue.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/core/protocol.hpp"
#include "message/core/wake.hpp"
#include "platform/thread_checker.hpp"

namespace baton::message {

namespace {

// An active message that waits for space; its payload stands behind it.
struct WaitingActive {
  Request request;
  lockfree::Envelope envelope;
  char* payload() { return reinterpret_cast<char*>(this + 1); }
};

// Null without memory.
WaitingActive* keep(lockfree::Envelope envelope, const void* payload, std::size_t bytes) {
  void* memory = std::malloc(sizeof(WaitingActive) + bytes);
  if (!memory) return nullptr;
  auto* waiting = new (memory) WaitingActive{{}, envelope};
  waiting->request.kind = RequestKind::active;
  waiting->request.bytes = static_cast<std::int64_t>(bytes);
  if (bytes) std::memcpy(waiting->payload(), payload, bytes);
  return waiting;
}

bool put_active(Peer& peer, Request& request) {
  auto* waiting = reinterpret_cast<WaitingActive*>(&request);
  if (!peer.protocol->put_active(peer, waiting->envelope, waiting->payload(),
                                 static_cast<std::size_t>(request.bytes)))
    return false;
  std::free(waiting);
  return true;
}

// Nothing will ever find space there.
BATON_COLD bool fail_to_put(Peer& peer, Request& request) {
  if (request.kind == RequestKind::active)
    std::free(reinterpret_cast<WaitingActive*>(&request));
  else
    peer.protocol->fail_request(request, explain_loss(peer.process));
  return true;
}

bool put(Peer& peer, Request& request) {
  platform::sends_to(&peer);
  if (loss_of(peer.process)) return fail_to_put(peer, request);
  if (BATON_UNLIKELY(request.kind == RequestKind::active)) return put_active(peer, request);
  return peer.protocol->put(peer, request);
}

void wait_in_queue(Peer& peer, Request& request) {
  request.stage = Stage::queued;
  peer.queued.push(&request);
  if (BATON_UNLIKELY(platform::threads_multiple)) wake_waiters();  // they would sleep too long
  platform::add_shared(engine.queued_count, 1u);
}

}  // namespace

void submit(Peer& peer, Request& request) {
  platform::Guard guard(peer.send_lock);
  if (!peer.queued.first && put(peer, request)) return;
  count(engine.counters.ring_full);
  wait_in_queue(peer, request);
}

Error submit_active(Peer& peer, lockfree::Envelope envelope, const void* payload,
                    std::size_t bytes) {
  platform::Guard sending(peer.send_lock);
  platform::sends_to(&peer);
  if (!peer.queued.first && peer.protocol->put_active(peer, envelope, payload, bytes))
    return MPI_SUCCESS;
  WaitingActive* waiting = keep(envelope, payload, bytes);
  if (!waiting) return fail(MPI_ERR_NO_MEM, "no memory for a message between ranks");
  wait_in_queue(peer, waiting->request);
  return MPI_SUCCESS;
}

void Protocol::start(Peer& peer, Request& send) {
  submit(peer, send);
}

bool drain_queue(Peer& peer) {
  platform::Guard guard(peer.send_lock);
  bool any = false;
  while (Request* request = peer.queued.first) {
    // Take it out before it may complete and be freed.
    peer.queued.take_after(nullptr);
    if (!put(peer, *request)) {
      request->stage = Stage::queued;
      peer.queued.push_front(request);
      break;
    }
    platform::add_shared(engine.queued_count, ~0u);
    any = true;
  }
  return any;
}

}  // namespace baton::message
