// Processes of other jobs may end while this one waits for them. Nobody tells, since each job has a
// launcher of its own, so whoever makes progress looks now and then.
#pragma once

#include <cstdint>

#include "message/node/process_ends.hpp"

namespace baton::message {

class NodeMessages;

// The looks of one meeting. Used under the progress lock.
class Departures {
 public:
  // Looks, if it is time to: notes those as lost who have left the meeting or died, and ends what
  // waits for them. Returns whether there was anything to end.
  bool look(NodeMessages& protocol);
  // Forgets what was seen, before another meeting.
  void forget();

 private:
  bool look_at(NodeMessages& protocol, std::uint32_t index);

  ProcessEnds ends_;  // by slot; what one that has ended had sent is taken in by the next look
  bool any_lost_ = false;
};

}  // namespace baton::message
