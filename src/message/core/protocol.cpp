#include "message/core/protocol.hpp"

#include "message/core/engine.hpp"

#include <algorithm>

namespace baton::message {

Protocol& protocol_of(Process process) {
  return *engine.protocols[static_cast<int>(engine.kind_of(process))];
}

PeerKind kind_by_place(Process process) {
  if (process == engine.self) return PeerKind::self;
  return transport::local_rank_of(process) == not_on_this_node ? PeerKind::network : PeerKind::node;
}

bool all_have_left() {
  if (platform::load_shared(engine.queued_count)) return false;
  return std::all_of(std::begin(engine.protocols), std::end(engine.protocols),
                     [](const Protocol* protocol) { return !protocol || protocol->has_left(); });
}

}  // namespace baton::message
