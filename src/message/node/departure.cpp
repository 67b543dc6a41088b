#include "message/node/departure.hpp"

#include <cerrno>

#include "message/core/arrive.hpp"
#include "message/core/loss.hpp"
#include "message/core/meeting.hpp"
#include "message/node/node_messages.hpp"

namespace baton::message {

namespace {

// Returns whether this meeting carries the messages of a slot's process.
bool is_met_here(transport::Slot slot) {
  const Process process = transport::process_at(slot);
  return !is_of_own_job(process) && slot_of(process) == slot && !loss_of_any(process);
}

// Takes in what a process has sent before it ended; returns whether there was any.
bool has_more(transport::Slot slot) {
  Peer* peer = known_peer(transport::process_at(slot));
  return peer && peer->in.attached() && poll_peer(*peer);
}

}  // namespace

void Departures::forget() {
  ends_.forget();
  any_lost_ = false;
}

// Returns whether a process is lost by now, or something has come from one that has ended.
bool Departures::look_at(NodeMessages& protocol, std::uint32_t index) {
  const transport::Slot slot = protocol.own_slot.at(index);
  if (!is_met_here(slot)) return false;
  // relaxed: its death orders what it has written before our look at the rings.
  const int process = transport::status_row(slot).state.pid.load(std::memory_order_relaxed);
  if (process == 0) return false;  // it is about to come
  const bool has_left = process == lockfree::left_process;
  if (ends_.has_ended(index))
    return has_more(slot) ||
           note_loss(transport::process_at(slot), has_left ? left_normally : ESRCH);
  if (has_left)
    ends_.note_end(index);
  else
    (void)ends_.look_at(index, process);
  return false;
}

bool Departures::look(NodeMessages& protocol) {
  const std::uint32_t count = protocol.own_slot.count();
  if (!ends_.begin_look(count)) return false;
  bool any = false;
  for (std::uint32_t index = 0; index < count; ++index) any |= look_at(protocol, index);
  any_lost_ |= any;
  // Requests that were begun after the loss end here.
  if (any_lost_) end_what_is_lost();
  return any;
}

}  // namespace baton::message
