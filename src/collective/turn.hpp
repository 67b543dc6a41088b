// The order in which calls on a communicator begin their algorithms, where some do so later than
// they are called: under the setting `check`, and where ranks may have memory of devices
// (device_data.hpp).
// Invariant: each begins when all before it have. So rounds of the communicator's room are taken in
// the same order at all ranks, and what the ranks have learned in a call holds for those behind it.
// Persistent calls have rooms of their own, and begin in any order.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// Returns whether a call's turn has come.
bool is_next(const Run& run);
// Notes that a call's algorithm has begun, or never will: the next one's turn has come.
void count_begun(const Call& call);

}  // namespace baton::collective
