// These are the collectives of intercommunicators: the ranks of one group get what the other group
// gives (MPI 5.0, "Applying Collective Operations to Inter-Communicators"). select.cpp begins them;
// there is no choice of algorithms.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// Runs `run.call`, whose root is MPI_ROOT, MPI_PROC_NULL or a rank of the other group.
Task begin_on_intercommunicator(Run& run);

}  // namespace baton::collective
