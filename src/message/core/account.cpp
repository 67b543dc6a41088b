#include "message/core/account.hpp"

#include <cstdio>
#include <new>

#include "base/settings.hpp"
#include "base/version.hpp"
#include "message/core/engine.hpp"
#include "message/core/meeting.hpp"
#include "message/core/protocol.hpp"
#include "platform/own_library.hpp"
#include "transport/move/reach.hpp"

namespace baton::message {

void count_reason(const Peer& peer, Reason reason, std::int64_t bytes) {
  // Whoever chose knew only that.
  if (reason == Reason::cma_refused) reason = transport::refusal(peer.slot);
  if (reason != Reason::none) count(engine.reasons.at(peer.peer_class, reason, bytes));
}

namespace {

void add(Tally& sum, const Tally& tally) {
  sum.messages += tally.messages;
  sum.bytes += tally.bytes;
}

void add_traffic(TrafficRecord& record, int peer_class, const Traffic& traffic) {
  for (int size = 0; size < size_class_count; ++size) {
    for (int way = 0; way < peer_way_count; ++way)
      add(record.tally[peer_class][way][size], traffic.tally[way][size]);
    Observation seen = traffic.observed[size];
    record.observed[peer_class][size].warm += seen == Observation::warm;
    record.observed[peer_class][size].cold += seen == Observation::cold;
  }
}

void add_peer(TrafficRecord& record, const Peer& peer) {
  const auto peer_class = static_cast<int>(peer.peer_class);
  if (has_history(peer)) add_traffic(record, peer_class, peer.past().traffic);
  for (int size = 0; size < 2; ++size)
    add(record.tally[peer_class][static_cast<int>(Way::inline_eager)][size], peer.packed[size]);
}

}  // namespace

void sum_up(TrafficRecord& record) {
  const FileRecords files = record.files;  // published already
  record = {};
  record.files = files;
  record.eager_bytes_max = settings.eager_bytes_max;
  record.probe_errno = transport::failed_probe_errno();
  record.reasons = engine.reasons;
  record.collectives = engine.collectives;
  record.one_sided = engine.one_sided;
  for (std::uint32_t i = 0; engine.peers && i < engine.process_count; ++i)
    if (const Peer* peer = known_peer(static_cast<Process>(i))) add_peer(record, *peer);
  for (int place = 0; engine.shared_history && place < peer_class_count; ++place)
    add_traffic(record, place, engine.shared_history[place].traffic);
  platform::own_library(record.library, sizeof record.library);
  std::snprintf(record.version, sizeof record.version, "%s", version);
  each_protocol([&record](const Protocol& protocol) { protocol.report(record); });
  record.published = 1;
}

void part_histories() {
  platform::Guard guard(engine.contact_lock);  // no peer is made meanwhile
  engine.histories_apart = true;
  for (std::uint32_t i = 0; engine.peers && i < engine.process_count; ++i)
    if (Peer* peer = known_peer(static_cast<Process>(i))) (void)give_history(*peer);
}

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

}  // namespace baton::message
