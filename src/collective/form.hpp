// The three forms of a collective call: blocking, nonblocking and persistent. All run the same
// algorithms. Called by api/; arguments were checked there. Every rank of the communicator calls,
// in the same order (MPI 5.0, "Nonblocking Collective Operations", "Persistent Collective
// Operations"). Errors: those of the messages, MPI_ERR_NO_MEM, explained.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// A run for a request; null, explained, without memory. `start` and `prepare` take it over.
Run* new_run();
Error run_now(Run& run);
Error start(Run& run, MPI_Request* handle);
Error prepare(Run& run, MPI_Request* handle);

// In all forms `make` gives the Call, which is made where it stays.
// Returns when this rank's part is done.
template <class Make>
Error run_now(Make&& make) {
  Run run(make);
  return run_now(run);
}

// Returns at once; `*handle` completes when this rank's part is done. Types and operation may be
// freed before.
template <class Make>
Error start(Make&& make, MPI_Request* handle) {
  Run* run = new_run();
  if (BATON_UNLIKELY(!run)) return MPI_ERR_NO_MEM;
  new (&run->call) Call(make());
  return start(*run, handle);
}

// Makes an inactive persistent request. The arrays of counts, displacements and types are copied.
template <class Make>
Error prepare(Make&& make, MPI_Request* handle) {
  Run* run = new_run();
  if (BATON_UNLIKELY(!run)) return MPI_ERR_NO_MEM;
  new (&run->call) Call(make());
  run->call.persistent = true;
  return prepare(*run, handle);
}

// The run behind a request; null for requests of others.
const Run* run_of(const message::Request& request);

// A completed request's error has words that another failure may have overwritten since: says them
// again. Nothing for requests of others.
BATON_COLD void explain_again(const message::Request& request);

}  // namespace baton::collective
