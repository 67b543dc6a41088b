// `mpiexec --check` compares collective calls: before a collective begins, its ranks tell the first
// of them what they call; that rank compares, and tells all whether the calls fit together. Then
// ranks that exchange blocks tell each other what they send. Where the calls do not fit, all ranks
// end with the same error, and no data has moved.
// Invariant: the messages of the check depend only on the communicator and the number of the call,
// until all know that they call the same.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// Checks the call, then runs the algorithm that select() gives, for a run whose tag is set.
Task check_and_run(Run& run, const Call& call);

}  // namespace baton::collective
