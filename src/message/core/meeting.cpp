#include "message/core/meeting.hpp"

namespace baton::message {

namespace {

// Whoever leaves a meeting says so in its row; its number means nobody from then on.
bool is_there(const Meeting& meeting, const Meeting::Met& met) {
  if (meeting.is_over_network()) return !met.has_left && !meeting.has_said_goodbye;
  // relaxed: who left before it called for a new meeting is seen by those who come to that.
  return transport::status_row(meeting.own.at(met.index))
             .state.pid.load(std::memory_order_relaxed) != lockfree::left_process;
}

// All that is known of where a process runs that was met over the network.
constexpr lockfree::RankPlace elsewhere{-1, 1, -1, -1, -1, -1, -1, -2};

// The newest meeting counts. The caller holds the lock of the list.
bool find(ProcessId id, bool is_still_there, Process* found) {
  for (Meeting* meeting = engine.meetings; meeting; meeting = meeting->next)
    for (std::uint32_t i = 0; i < meeting->count; ++i) {
      const Meeting::Met& met = meeting->met[i];
      if (met.id != id || (is_still_there && !is_there(*meeting, met))) continue;
      *found = static_cast<Process>(meeting->first + i);
      return true;
    }
  return false;
}

}  // namespace

Meeting& meeting_with(Process process) {
  Meeting* meeting = engine.meetings;
  while (meeting && number_of(process) - meeting->first >= meeting->count) meeting = meeting->next;
  BATON_INVARIANT(meeting != nullptr);
  return *meeting;
}

Meeting& meeting_of(Process process) {
  platform::Guard guard(engine.meetings_lock);
  return meeting_with(process);
}

bool find_met_locked(ProcessId id, Process* found) {
  return find(id, true, found);
}

bool find_met(ProcessId id, Process* found) {
  platform::Guard guard(engine.meetings_lock);
  return find_met_locked(id, found);
}

ProcessId id_of_met(Process process) {
  const Meeting& meeting = meeting_of(process);
  return meeting.met[number_of(process) - meeting.first].id;
}

Process process_of_met(ProcessId id) {
  Process found{};
  platform::Guard guard(engine.meetings_lock);
  // One that has left may still be talked of.
  BATON_INVARIANT(find(id, true, &found) || find(id, false, &found));
  return found;
}

transport::Slot slot_of_met(Process process) {
  const Meeting& meeting = meeting_of(process);
  if (meeting.is_over_network()) return {};
  return meeting.own.at(meeting.met[number_of(process) - meeting.first].index);
}

const lockfree::RankPlace& place_of_met(Process process) {
  if (meeting_of(process).is_over_network()) return elsewhere;
  return transport::place_of(slot_of_met(process));
}

bool note_left(Process process) {
  platform::Guard guard(engine.meetings_lock);
  Meeting& meeting = meeting_with(process);
  if (!meeting.is_over_network()) return false;
  meeting.met[number_of(process) - meeting.first].has_left = true;
  return true;
}

PeerClass class_of(Process process) {
  if (is_of_own_job(process)) return lockfree::peer_class(place_of(engine.self), place_of(process));
  // Numbers of cores and caches are comparable within one arena.
  const Meeting& meeting = meeting_of(process);
  return meeting.is_over_network()
             ? PeerClass::between_nodes
             : lockfree::peer_class(transport::place_of(meeting.own), place_of(process));
}

}  // namespace baton::message
