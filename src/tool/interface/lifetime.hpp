// The begin and end of the tool interface, which may be initialized several times at once.
#pragma once

#include "tool/interface/state.hpp"

namespace baton::tool {

// Initializes the interface once more.
void initialize(const ObjectFinder& objects);
// Undoes one initialization; the last frees what tools have left. Returns MPI_SUCCESS or
// MPI_T_ERR_NOT_INITIALIZED.
int finalize();

}  // namespace baton::tool
