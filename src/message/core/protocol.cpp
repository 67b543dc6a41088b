#include "message/core/protocol.hpp"

#include "message/core/engine.hpp"
#include "message/core/meeting.hpp"

namespace baton::message {

Protocol& protocol_of(Process process) {
  if (!is_of_own_job(process)) return *meeting_of(process).protocol;
  return *engine.protocols[static_cast<int>(engine.kind_of(process))];
}

PeerKind kind_by_place(Process process) {
  if (process == engine.self) return PeerKind::self;
  return transport::local_rank_of(process) == not_on_this_node ? PeerKind::network : PeerKind::node;
}

bool all_have_left() {
  if (platform::load_shared(engine.queued_count)) return false;
  bool all = true;
  each_protocol([&all](const Protocol& protocol) { all = all && protocol.has_left(); });
  return all;
}

}  // namespace baton::message
