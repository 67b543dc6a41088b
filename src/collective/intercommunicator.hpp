// The collectives of intercommunicators: what one group gives, the other gets (MPI 5.0, "Applying
// Collective Operations to Inter-Communicators"). Begun by select.cpp; nothing is chosen here.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// `run.call`, whose root is MPI_ROOT, MPI_PROC_NULL or a rank of the other group.
Task begin_on_intercommunicator(Run& run);

}  // namespace baton::collective
