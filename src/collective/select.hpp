// Which algorithm a collective takes: from sizes that all ranks know alike, never from what only
// one knows (a rank's own type may be laid out in another way). Takes the rounds of the
// run's room, which are numbered in the order of calls, for what goes there.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// The algorithm of a call, ready to run; without memory for its frame an empty one, and the run has
// the error.
Task select(Run& run, const Call& call);

}  // namespace baton::collective
