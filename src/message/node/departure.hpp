// Processes of other jobs may end while this one waits for them. Nobody tells, since each job has a
// launcher of its own, so whoever makes progress looks now and then.
#pragma once

#include <cstdint>

namespace baton::message {

class NodeMessages;

// The looks of one meeting. Used under the progress lock.
class Departures {
 public:
  ~Departures() { forget(); }
  // Looks, if it is time to: notes those as lost who have left the meeting or died, and ends what
  // waits for them. Returns whether there was anything to end.
  bool look(NodeMessages& protocol);
  // Forgets what was seen, before another meeting.
  void forget();

 private:
  // This is known of a process, by its slot.
  struct Seen {
    unsigned long long began = 0;  // 0: it was not looked at yet
    bool is_gone = false;          // what it had sent is taken in by the next look
  };
  bool look_at(NodeMessages& protocol, std::uint32_t index, bool closely);

  Seen* seen_ = nullptr;  // by slot
  std::int64_t next_ms_ = 0;
  std::uint32_t closely_from_ = 0;  // the slots that are looked at closely in the next look
  bool any_lost_ = false;
};

}  // namespace baton::message
