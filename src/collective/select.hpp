// Begins a collective: selects its algorithm, takes the rounds that it needs in the run's room, and
// calls its function. Called by form.cpp, by check/alike.cpp and by by_nodes.cpp.
// Invariant: the selection depends on what all ranks know alike, never on what one of them knows (a
// rank's own type may be laid out in another way); rounds are numbered in the order of calls.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// The algorithm of a call, ready to run; without memory for its frame an empty one, and the run has
// the error.
Task select(Run& run, const Call& call);

// The same of a step of another call (by_nodes.hpp); without a room where `rooms` says so.
Task select_step(Run& run, const Call& call, bool rooms);

}  // namespace baton::collective
