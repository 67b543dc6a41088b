#include "message/node/departure.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "message/core/arrive.hpp"
#include "message/core/loss.hpp"
#include "message/core/meeting.hpp"
#include "message/node/node_messages.hpp"
#include "platform/process_life.hpp"
#include "platform/stream.hpp"

namespace baton::message {

namespace {

constexpr std::int64_t pause_ms = 250;     // guess: how late a death may be found
constexpr std::uint32_t close_looks = 16;  // guess: files of /proc that one look reads

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
  std::free(seen_);
  seen_ = nullptr;
  any_lost_ = false;
}

// Returns whether a process is lost by now, or something has come from one that has ended.
// `closely`: one that has ended, but whose parent has not looked, and one whose number another
// process has got, are found, too.
bool Departures::look_at(NodeMessages& protocol, std::uint32_t index, bool closely) {
  const transport::Slot slot = protocol.own_slot.at(index);
  if (!is_met_here(slot)) return false;
  Seen& seen = seen_[index];
  // relaxed: its death orders what it has written before our look at the rings.
  const int process = transport::status_row(slot).state.pid.load(std::memory_order_relaxed);
  if (process == 0) return false;  // it is about to come
  if (seen.is_gone && has_more(slot)) return true;
  if (seen.is_gone)
    return note_loss(transport::process_at(slot),
                     process == lockfree::left_process ? left_normally : ESRCH);
  if (process == lockfree::left_process || !platform::may_run(process)) {
    seen.is_gone = true;
  } else if (closely || seen.began == 0) {
    const unsigned long long began = platform::began_at(process);
    if (seen.began == 0) seen.began = began;
    seen.is_gone = began == 0 || began != seen.began;
  }
  return false;
}

bool Departures::look(NodeMessages& protocol) {
  const std::int64_t now_ms = platform::now_ms();
  if (now_ms < next_ms_) return false;
  next_ms_ = now_ms + pause_ms;
  const std::uint32_t count = protocol.own_slot.count();
  if (!seen_) seen_ = static_cast<Seen*>(std::calloc(count, sizeof(Seen)));
  if (!seen_) return false;
  bool any = false;
  for (std::uint32_t index = 0; index < count; ++index)
    any |= look_at(protocol, index, (index + count - closely_from_) % count < close_looks);
  closely_from_ = (closely_from_ + close_looks) % count;
  any_lost_ |= any;
  // Requests that were begun after the loss end here.
  if (any_lost_) end_what_is_lost();
  return any;
}

}  // namespace baton::message
