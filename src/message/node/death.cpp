#include "message/node/death.hpp"

#include <cerrno>

#include "message/core/arrive.hpp"
#include "message/core/lanes.hpp"
#include "message/core/loss.hpp"
#include "message/core/meeting.hpp"
#include "message/core/wake.hpp"
#include "message/node/node_messages.hpp"
#include "platform/clock.hpp"

namespace baton::message {

namespace {

// guess: what is begun after a loss may wait so long before it fails
constexpr std::int64_t pause_ns = 100'000;

// Takes in what a process has sent before it died; returns whether there was any.
bool has_more(Process process) {
  Peer* peer = known_peer(process);
  return peer && peer->in.attached() && poll_peer(*peer);
}

// The first rank of the node that lives tells other nodes of all here that have died, again with
// each death: the one that has told of an earlier one may have died meanwhile.
void tell_other_nodes(transport::Slot own) {
  if (!transport::spans_nodes() || transport::rank_count() == transport::process_count()) return;
  for (std::uint32_t i = 0; i < own.index; ++i)
    if (!transport::has_died(own.at(i))) return;
  for (std::uint32_t i = 0; i < own.count(); ++i) {
    const Process process = transport::process_at(own.at(i));
    if (loss_of_any(process))
      each_protocol([process](Protocol& protocol) { protocol.tell_of_death(process); });
  }
}

}  // namespace

// Returns whether a process is lost by now, or something has come from one that has died.
bool Deaths::note_new(NodeMessages& protocol) {
  // ORDER job.deaths: acquire here, release in the launcher; rows say who has died.
  const std::uint32_t deaths =
      std::atomic_ref(transport::job().deaths).load(std::memory_order_acquire);
  if (BATON_LIKELY(deaths == noted_)) return false;
  // A line of one that has died may have been passed by: its doorbell is not what we wait for.
  (void)poll_doorbells(protocol.own_slot);
  bool any = false, has_all = true;
  for (std::uint32_t i = 0; i < protocol.own_slot.count(); ++i) {
    const Process process = transport::process_at(protocol.own_slot.at(i));
    if (!transport::has_died(protocol.own_slot.at(i)) || loss_of_any(process)) continue;
    if (has_more(process)) {
      any = true;
      has_all = false;
    } else {
      any |= note_loss(process, ESRCH);
      has_all &= loss_of_any(process) != 0;
    }
  }
  if (has_all) {
    noted_ = deaths;
    tell_other_nodes(protocol.own_slot);
  }
  return any;
}

bool Deaths::look(NodeMessages& protocol) {
  const bool any = note_new(protocol);
  any_lost_ |= has_lost_peers();
  if (BATON_LIKELY(!any_lost_)) return any;
  const std::int64_t now_ns = platform::now_ns();
  if (!any && now_ns < next_ns_) return false;
  next_ns_ = now_ns + pause_ns;
  end_what_is_lost();
  if (any) wake_waiters();
  return any;
}

}  // namespace baton::message
