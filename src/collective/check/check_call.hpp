// Checks of a collective call beyond those of the table of procedures: whether the communicator can
// be used for it, the operation with the type, and types and counts in arrays. Errors:
// MPI_ERR_COMM, MPI_ERR_TOPOLOGY, MPI_ERR_BUFFER, MPI_ERR_OP, MPI_ERR_TYPE, MPI_ERR_COUNT,
// MPI_ERR_ARG, explained.
#pragma once

#include "collective/call.hpp"

namespace baton::collective {

Error check_call(const Call& call);

}  // namespace baton::collective
