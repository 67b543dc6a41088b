// The requests of this process: their pool, their handles, and their end. A request ends in one
// place, `complete`.
#pragma once

#include "message/core/request.hpp"

namespace baton::message {

using RequestTable = HandleTable<Request, HandleTag::request>;
extern RequestTable requests;

// A pooled request with a handle; null when memory is short. The datatype is retained by the
// caller.
Request* new_request();
// Gives a completed request back, with its handle and its hold on datatype and communicator.
void release_request(Request& request);
// Ends one use of a communicator; a freed one goes with the last.
void drop_usage(Usage* usage);

// The handle of sends and collectives that were over before they got a request: always complete,
// never freed.
MPI_Request completed_handle();
void make_completed_request();

// Ends the request; the only places that do. The second says whether the program had given it up,
// and then leaves its release to the caller; the request may be gone otherwise.
void complete(Request& request, Error error);
bool mark_complete(Request& request, Error error);

// Ends the waits for a request that stays as it is; and lets them go on.
void interrupt(Request& request);
void resume(Request& request);

// The program gives up an active request: it is released when it completes. True when it has
// completed meanwhile, and the caller releases it.
bool give_up(Request& request);
// A completed request has been waited for: persistent ones stay, inactive; others are released.
// Returns whether the handle is still alive.
bool retire_request(Request& request);

// The status of a completed request, as the standard wants it. Leaves MPI_ERROR alone.
void fill_status(const Request& request, MPI_Status* status);

}  // namespace baton::message
