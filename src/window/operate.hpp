// These are puts and gets (MPI 5.0, "Communication Calls"). They are called by api/, which has
// checked handles, counts and ranks. An operation on mapped memory, or through the kernel, is over
// when the call returns; a flush then only orders it.
// Errors: MPI_ERR_RMA_SYNC outside an epoch, MPI_ERR_RMA_RANGE outside the target's memory,
// MPI_ERR_TYPE for lengths that differ, MPI_ERR_NO_MEM; explained.
#pragma once

#include "window/place.hpp"

namespace baton::window {

Error put(Window& window, const Data& from, const Place& to);
Error get(Window& window, const Data& to, const Place& from);

}  // namespace baton::window
