#include "message/node/death.hpp"

#include <cerrno>

#include "message/core/arrive.hpp"
#include "message/core/lanes.hpp"
#include "message/core/loss.hpp"
#include "message/core/meeting.hpp"
#include "message/core/notify.hpp"
#include "message/core/wake.hpp"
#include "message/node/node_messages.hpp"
#include "platform/clock.hpp"
#include "transport/death.hpp"

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

// Takes those for lost of whose death on another node a foreign launcher has told; returns whether
// there was any.
bool note_deaths_elsewhere() {
  if (!transport::job().foreign_launcher || !transport::spans_nodes()) return false;
  bool any = false;
  for (std::uint32_t i = 0; i < transport::process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    if (!transport::has_died_elsewhere(process) || loss_of_any(process)) continue;
    each_protocol([process](Protocol& protocol) { protocol.hear_of_death(process); });
    any |= loss_of_any(process) != 0;
  }
  return any;
}

}  // namespace

// Looks, if it is time to, at the processes of the node, and writes for all who has died: has ended
// without finalizing MPI.
void Deaths::look_for_ends(NodeMessages& protocol) {
  const std::uint32_t count = protocol.own_slot.count();
  if (!ends_.begin_look(count)) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const transport::Slot slot = protocol.own_slot.at(i);
    const auto& state = transport::status_row(slot).state;
    // relaxed: it was written before the rank began to send.
    int process = state.pid.load(std::memory_order_relaxed);
    if (process == 0) process = slot.row().launcher.pid;  // it has not attached the memory yet
    if (process == 0 || !ends_.look_at(i, process)) continue;
    // ORDER rank.phase: acquire here, release in set_phase; a rank that ended in order said so.
    if (state.phase.load(std::memory_order_acquire) == lockfree::Phase::finalized) continue;
    if (!transport::write_death(transport::process_at(slot))) continue;
    for (std::uint32_t other = 0; other < count; ++other)
      if (other != i) (void)wake_rank(protocol.own_slot.at(other));
  }
}

// Returns whether a process is lost by now, or something has come from one that has died.
bool Deaths::note_new(NodeMessages& protocol) {
  // ORDER job.deaths: acquire here, release in mpiexec, and in write_death; rows say who has died.
  const std::uint32_t deaths =
      std::atomic_ref(transport::job().deaths).load(std::memory_order_acquire);
  if (BATON_LIKELY(deaths == noted_)) return false;
  // A line of one that has died may have been passed by: its doorbell is not what we wait for.
  (void)poll_doorbells(protocol.own_slot);
  bool any = note_deaths_elsewhere(), has_all = true;
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
  if (BATON_UNLIKELY(transport::job().foreign_launcher)) look_for_ends(protocol);
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
