// Collective calls that somebody watches: tools are told when they begin and end on this rank
// (base/event.hpp), and those of jobs that are checked are compared first. form.cpp uses this.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// Runs the algorithm of a call, after checks where the job is checked, and tells tools that ask
// before and after it. What it tells at the begin of a call, and at the end of a blocking one,
// comes from within the program's call.
BATON_COLD Task run_watched(Run& run, const Call& call);

}  // namespace baton::collective
