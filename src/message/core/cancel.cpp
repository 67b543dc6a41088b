// Cancelling: takes back what nobody has matched yet. A message that has entered a ring is on its
// way and counts as sent.
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/protocol.hpp"
#include "message/core/requests.hpp"

namespace baton::message {

namespace {

bool take_back_receive(Request& receive) {
  if (receive.stage != Stage::posted) return false;
  if (!may_take_back(receive)) return false;
  platform::Guard guard(receive.queue->lock);
  return close_advert(receive) && take_back(*receive.queue, receive);
}

// A send that waits for space in the ring has told nobody of itself.
bool take_from_queue(Request& send) {
  Peer& peer = peer_of(send.process);
  platform::Guard guard(peer.send_lock);
  Request* before = nullptr;
  for (Request* item = peer.queued.first; item; before = item, item = item->next) {
    if (item != &send) continue;
    // Its beginning has left; the rest follows. A match may still be prevented.
    if (send.position > 0) {
      send.cancelled = send.synchronous;
      return false;
    }
    peer.queued.take_after(before);
    platform::add_shared(engine.queued_count, ~0u);
    return true;
  }
  return false;
}

bool take_back_send(Request& send) {
  if (send.stage == Stage::queued) return take_from_queue(send);
  return send.stage == Stage::offered && peer_of(send.process).protocol->take_back_send(send);
}

}  // namespace

void cancel(Request& request) {
  bool back = request.kind == RequestKind::receive ? take_back_receive(request)
              : request.kind == RequestKind::send  ? take_back_send(request)
                                                   : false;
  if (!back) return;
  request.cancelled = true;
  request.bytes = 0;
  complete(request, MPI_SUCCESS);
}

}  // namespace baton::message
