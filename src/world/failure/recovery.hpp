// Collective operations that survive failures, and revoked communicators: agreeing on a value, and
// making a communicator of the members that are left. Every member that lives calls them in the
// same order; members may die at any time meanwhile.
#pragma once

#include <mpi.h>

#include "base/error.hpp"

namespace baton::world {

class Communicator;

// Makes `*flag` the bitwise and of the flags of all members that contribute. Errors:
// error_process_failed where a member has failed to contribute and not all others have acknowledged
// that; all members then have it, and the flag. MPI_ERR_NO_MEM. All explained.
Error agree(Communicator& communicator, int* flag);
Error start_agree(Communicator& communicator, int* flag, MPI_Request* request);

// Makes a communicator of the members that have not failed, in the same order; the same for all.
// Errors: MPI_ERR_NO_MEM, MPI_ERR_OTHER where no context id is left, explained.
Error shrink(Communicator& communicator, Communicator** made);
// Where the handle of a communicator is to be written: as C has it, or (`handle` is null) as
// Fortran.
struct HandlePlace {
  MPI_Comm* handle = nullptr;
  int* number = nullptr;
};
// The place has the new communicator once the request is complete; until then, and where that
// fails, MPI_COMM_NULL.
Error start_shrink(Communicator& communicator, HandlePlace place, MPI_Request* request);

}  // namespace baton::world
