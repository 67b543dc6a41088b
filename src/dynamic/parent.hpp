// Processes that MPI_Comm_spawn has started: mpiexec tells them at which port their parents wait.
#pragma once

#include <mpi.h>

#include "base/error.hpp"

namespace baton::dynamic {

// In a spawned job: makes the intercommunicator with the parents, when MPI_COMM_WORLD is there; it
// is collective over that. In others it does nothing. Errors as of dynamic::connect, explained.
[[nodiscard]] Error meet_parents();

// Returns the intercommunicator with the parents; MPI_COMM_NULL: there are none, or it was freed.
MPI_Comm parent();

}  // namespace baton::dynamic
