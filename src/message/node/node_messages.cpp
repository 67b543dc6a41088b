#include "message/node/node_messages.hpp"

#include "message/core/account.hpp"
#include "message/core/arrive.hpp"
#include "message/core/engine.hpp"
#include "message/core/lanes.hpp"
#include "platform/thread_checker.hpp"

namespace baton::message {

void open_lane(NodePeer& peer) {
  (void)give_history(peer);  // without memory for it its messages are counted with others'
  peer.link->open_lane();
  if (!peer.in.attached()) return;  // a link without lanes
  use_lane(peer);
  if (node_of(peer).inbox) poll_peer(peer);
}

bool put_line(NodePeer& peer, unsigned kind, std::int32_t source, lockfree::Envelope envelope,
              const void* payload, std::size_t bytes) {
  platform::sends_to(&peer);
  // Messages that may be longer than a line say how long they are.
  const bool varies = kind < static_cast<unsigned>(LineKind::first_of_protocol);
  if (!peer.link->put(lockfree::make_header(kind, varies ? bytes : 0, source), envelope, payload,
                      bytes))
    return false;
  if (!peer.out.attached()) count(engine.counters.shared_ring);
  return true;
}

void get_lane_if_due(NodePeer& peer) {
  if (peer.out.attached() || !peer.link->wants_lane() || !give_history(peer)) return;
  if (!put_line(peer, NodeLine::lane, 0, {0, 0}, nullptr, 0)) return;
  peer.link->use_lane();
  count(engine.counters.own_rings);
}

}  // namespace baton::message
