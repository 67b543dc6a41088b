// Begins a collective: selects its algorithm, takes the rounds that it needs in the run's room, and
// calls its function. It is called by form.cpp, by check/alike.cpp and by by_nodes.cpp.
// Invariant: the selection depends only on facts that all ranks know alike, never on what one of
// them knows (a rank's own type may have another layout); rounds are numbered in the order of
// calls.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// Returns the algorithm of a call, ready to run. Without memory for its frame the task is empty,
// and the run has the error.
Task select(Run& run, const Call& call);

// Selects as `select` does for a step of another call (by_nodes.hpp); it uses no room if `rooms` is
// false.
Task select_step(Run& run, const Call& call, bool rooms);

}  // namespace baton::collective
