// Processes of other jobs that this process has met: each group shares an arena of meeting with it,
// through which messages go. Used by message/meet.cpp, which makes meetings, and by the conversions
// of engine.hpp.
// Invariant: a meeting lasts as long as the engine.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

struct Meeting {
  transport::Slot own;           // this process's slot
  Protocol* protocol = nullptr;  // of those who were met
  std::uint32_t first = 0;       // their numbers here follow each other
  std::uint32_t count = 0;
  struct Met {
    ProcessId id;
    std::uint32_t index;  // of its slot
  };
  Met* met = nullptr;
  Meeting* next = nullptr;
};

// Returns the meeting in which a process of another job was met.
Meeting& meeting_of(Process process);
// Returns the number of a process that was met; false: it was not.
bool find_met(ProcessId id, Process* found);

// Calls act(protocol) for each protocol that the engine has.
template <class Do>
void each_protocol(Do&& act) {
  for (Protocol* protocol : engine.protocols)
    if (protocol) act(*protocol);
  for (Meeting* meeting = engine.meetings; meeting; meeting = meeting->next)
    act(*meeting->protocol);
}

}  // namespace baton::message
