// The queue of requests that wait for room on the way to a peer.
#include "message/core/active.hpp"
#include "message/core/loss.hpp"
#include "message/core/protocol.hpp"
#include "message/core/wait.hpp"

namespace baton::message {

namespace {

// Nothing will ever find room there.
BATON_COLD bool fail_to_put(Peer& peer, Request& request) {
  if (request.kind == RequestKind::active)
    drop_active(request);
  else
    peer.protocol->fail_request(request, explain_loss(peer.process));
  return true;
}

bool put(Peer& peer, Request& request) {
  if (loss_of(peer.process)) return fail_to_put(peer, request);
  if (BATON_UNLIKELY(request.kind == RequestKind::active)) return put_waiting_active(peer, request);
  return peer.protocol->put(peer, request);
}

}  // namespace

void submit(Peer& peer, Request& request) {
  platform::Guard guard(peer.send_lock);
  if (!peer.queued.first && put(peer, request)) return;
  count(engine.counters.ring_full);
  wait_in_queue(peer, request);
}

void wait_in_queue(Peer& peer, Request& request) {
  request.stage = Stage::queued;
  peer.queued.push(&request);
  if (BATON_UNLIKELY(platform::threads_multiple)) wake_waiters();  // they would sleep too long
  platform::add_shared(engine.queued_count, 1u);
}

bool drain_queue(Peer& peer) {
  platform::Guard guard(peer.send_lock);
  bool any = false;
  while (Request* request = peer.queued.first) {
    // Take it out before it may complete and be freed.
    peer.queued.take_after(nullptr);
    if (!put(peer, *request)) {
      request->next = peer.queued.first;
      peer.queued.first = request;
      if (!peer.queued.last) peer.queued.last = request;
      break;
    }
    platform::add_shared(engine.queued_count, ~0u);
    any = true;
  }
  return any;
}

}  // namespace baton::message
