// Generalized requests (MPI 5.0, "Generalized Requests"): operations that the program itself
// carries out, with callbacks that MPI calls. Used by api/. Errors are the callbacks' own codes,
// explained. Invariant: free_fn is called once, by whoever ends the request.
#pragma once

#include "message/core/request.hpp"

namespace baton::message {

Error start_generalized(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                        MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* handle);

// The program says that the operation has ended. Ends the request too when it was freed before; the
// error is then free_fn's.
Error complete_generalized(Request& request);

// Fills the status (null: only asks) by query_fn, which must not touch its error field.
Error query_generalized(Request& request, MPI_Status* status);

// Calls cancel_fn, which may complete the request.
Error cancel_generalized(Request& request);

// The last step before the request is released: free_fn.
Error end_generalized(Request& request);

}  // namespace baton::message
