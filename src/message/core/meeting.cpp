#include "message/core/meeting.hpp"

namespace baton::message {

Meeting& meeting_of(Process process) {
  Meeting* meeting = engine.meetings;
  while (meeting && number_of(process) - meeting->first >= meeting->count) meeting = meeting->next;
  BATON_INVARIANT(meeting != nullptr);
  return *meeting;
}

bool find_met(ProcessId id, Process* found) {
  for (Meeting* meeting = engine.meetings; meeting; meeting = meeting->next)
    for (std::uint32_t i = 0; i < meeting->count; ++i)
      if (meeting->met[i].id == id) {
        *found = static_cast<Process>(meeting->first + i);
        return true;
      }
  return false;
}

ProcessId id_of_met(Process process) {
  const Meeting& meeting = meeting_of(process);
  return meeting.met[number_of(process) - meeting.first].id;
}

Process process_of_met(ProcessId id) {
  Process found{};
  BATON_INVARIANT(find_met(id, &found));
  return found;
}

transport::Slot slot_of_met(Process process) {
  const Meeting& meeting = meeting_of(process);
  return meeting.own.at(meeting.met[number_of(process) - meeting.first].index);
}

PeerClass class_of(Process process) {
  // Numbers of cores and caches are comparable within one arena.
  const auto& own =
      is_of_own_job(process) ? place_of(engine.self) : transport::place_of(meeting_of(process).own);
  return lockfree::peer_class(own, place_of(process));
}

}  // namespace baton::message
