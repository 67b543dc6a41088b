// The three forms of a collective call: blocking, nonblocking and persistent. All run the same
// algorithms. Called by api/; arguments were checked there. Every rank of the communicator calls,
// in the same order (MPI 5.0, "Nonblocking Collective Operations", "Persistent Collective
// Operations"). Errors: those of the messages, MPI_ERR_NO_MEM, explained.
#pragma once

#include "collective/call.hpp"

namespace baton::collective {

// Returns when this rank's part is done.
Error run_now(const Call& call);

// Returns at once; `*handle` completes when this rank's part is done. Types and operation may be
// freed before.
Error start(const Call& call, MPI_Request* handle);

// Makes an inactive persistent request. The arrays of counts, displacements and types are copied.
Error prepare(const Call& call, MPI_Request* handle);

// The run behind a request; null for requests of others.
class Run;
const Run* run_of(const message::Request& request);

// A completed request's error has words that another failure may have overwritten since: says them
// again. Nothing for requests of others.
BATON_COLD void explain_again(const message::Request& request);

}  // namespace baton::collective
