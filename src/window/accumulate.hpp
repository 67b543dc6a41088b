// These are the accumulating operations (MPI 5.0, "Communication Calls"). They are called by api/,
// as puts and gets are (window/operate.hpp). Errors: those of puts and gets, and MPI_ERR_TYPE and
// MPI_ERR_OP for what cannot be accumulated; explained.
#pragma once

#include "datatype/operation.hpp"
#include "window/place.hpp"

namespace baton::window {

Error accumulate(Window& window, const Data& from, const Place& to, const Operation& operation);
// `from` is not read where the operation is MPI_NO_OP.
Error get_accumulate(Window& window, const Data& from, const Data& result, const Place& at,
                     const Operation& operation);
// Accumulates a single element of a predefined type.
Error fetch_and_op(Window& window, const void* from, void* result, const Place& at,
                   const Operation& operation);
Error compare_and_swap(Window& window, const void* from, const void* expected, void* result,
                       const Place& at);

}  // namespace baton::window
