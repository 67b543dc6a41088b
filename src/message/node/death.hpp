// Ranks of this node that die in a job which goes on without them (mpiexec --continue-on-failure).
// mpiexec knows at once, and says so on the status board. Where another launcher has started the
// ranks, it may tell of deaths on any node (PMIx), and ranks look at the processes of their node.
#pragma once

#include <cstdint>

#include "message/node/process_ends.hpp"

namespace baton::message {

class NodeMessages;

// Used under the progress lock.
class Deaths {
 public:
  // Notes those as lost that have died, once all that they had sent is taken in, and ends what
  // waits for them, or was begun with them since. Returns whether there was anything to end.
  bool look(NodeMessages& protocol);

 private:
  bool note_new(NodeMessages& protocol);
  void look_for_ends(NodeMessages& protocol);

  ProcessEnds ends_;          // under another launcher
  std::uint32_t noted_ = 0;   // deaths on the board of which all is done
  std::int64_t next_ns_ = 0;  // time of the next look at what was begun since
  bool any_lost_ = false;
};

}  // namespace baton::message
