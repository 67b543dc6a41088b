// `mpiexec --check`: before a collective begins, its ranks tell the first of them what they call;
// it compares, and all hear whether it fits together. Then those that exchange blocks tell each
// other what they send. Where it does not fit, all end with the same error, and nothing has moved.
// Invariant: what is exchanged here depends only on the communicator and the number of the call,
// until all know that they call the same.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// The check, then the algorithm that select() gives, for a run whose tag is set.
Task check_and_run(Run& run, const Call& call);

}  // namespace baton::collective
