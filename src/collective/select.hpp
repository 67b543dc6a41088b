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

// Selects an algorithm that goes by messages alone; on several nodes, one whose steps do.
Task select_by_messages(Run& run, const Call& call);
// Selects as the run's `by_messages` says.
inline Task select_for(Run& run, const Call& call) {
  return run.by_messages ? select_by_messages(run, call) : select(run, call);
}
// Returns whether `select` would take an algorithm that goes by messages alone, between the ranks
// of the communicator itself. All ranks find the same.
bool goes_by_messages(const Call& call);
// Returns the bytes of a call, as in a SelectionRow; 0: ranks do not know them alike, or none
// count.
std::int64_t bytes_of(const Call& call);

// Selects as `select_for` does for a step of another call (by_nodes.hpp); it uses no room if
// `rooms` is false.
Task select_step(Run& run, const Call& call, bool rooms);

}  // namespace baton::collective
