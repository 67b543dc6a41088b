// Processes of other jobs that this process has met: each group shares an arena of meeting with it,
// through which messages go, or is elsewhere and reached over the network. Used by message/meet.cpp
// and message/meet_over_network.cpp, which make meetings, and by the conversions of engine.hpp.
// Invariant: a meeting lasts as long as a group has one of the processes that were met in it.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

struct Meeting {
  transport::Slot own;           // this process's slot; without arena: over the network
  Protocol* protocol = nullptr;  // of those who were met
  std::uint32_t first = 0;       // their numbers here follow each other
  std::uint32_t count = 0;
  struct Met {
    ProcessId id;
    std::uint32_t index;    // of its slot
    bool has_left = false;  // over the network: it has forgotten us, or died
  };
  Met* met = nullptr;
  std::uint32_t uses = 0;  // by groups; changed atomically
  Meeting* next = nullptr;
  bool has_said_goodbye = false;  // over the network: the others know that we forget them

  bool is_over_network() const { return own == transport::Slot{}; }
};

// Returns the meeting in which a process of another job was met.
Meeting& meeting_of(Process process);
// Returns the number of a process that was met; false: it was not, or has left.
bool find_met(ProcessId id, Process* found);
// Do the same for callers that hold the lock of the list.
Meeting& meeting_with(Process process);
bool find_met_locked(ProcessId id, Process* found);

// Notes that a process that was met over the network has left: its number means nobody any more,
// and it may be met anew. Returns whether it was met so.
bool note_left(Process process);

// These two are the parts of each_protocol and each_protocol_in_progress.
template <class Do>
void each_protocol_of_own_job(Do& act) {
  for (Protocol* protocol : engine.protocols)
    if (protocol) act(*protocol);
}
// The caller sees to it that no meeting comes or goes.
template <class Do>
void each_protocol_of_meetings(Do& act) {
  for (Meeting* meeting = engine.meetings; meeting; meeting = meeting->next)
    if (!meeting->is_over_network()) act(*meeting->protocol);  // else it is one of ours
}
// Calls act(protocol) for each protocol that the engine has; `act` asks nothing about processes of
// other jobs, whose list is locked.
template <class Do>
void each_protocol(Do&& act) {
  each_protocol_of_own_job(act);
  platform::Guard guard(engine.meetings_lock);
  each_protocol_of_meetings(act);
}
// Calls act(protocol) likewise, for a caller that holds the progress lock, without which no meeting
// comes or goes: `act` may ask about any process.
template <class Do>
void each_protocol_in_progress(Do&& act) {
  each_protocol_of_own_job(act);
  each_protocol_of_meetings(act);
}

}  // namespace baton::message
