// A collective call has three forms: blocking, nonblocking and persistent. All run the same
// algorithms. It is called by api/, which has checked the arguments. Every rank of the communicator
// calls, in the same order (MPI 5.0, "Nonblocking Collective Operations", "Persistent Collective
// Operations"). Errors: those of the messages, MPI_ERR_NO_MEM, explained.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// Returns a run for a request; null, explained, without memory. `start` and `prepare` take it over.
Run* new_run();
Error run_now(Run& run);
Error start(Run& run, MPI_Request* handle);
Error prepare(Run& run, MPI_Request* handle);

// In all forms `make` gives the Call, which is constructed in place.
// Returns when this rank's part is done.
template <class Make>
Error run_now(Make&& make) {
  Run run(make);
  return run_now(run);
}

// Starts a call and returns at once; `*handle` completes when this rank's part is done. Types and
// operation may be freed before.
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

// Returns the run behind a request; null for requests that are not of collectives.
const Run* run_of(const message::Request& request);

// Restores the explanation of a completed request's error, which another failure may have
// overwritten since. It does nothing for other requests.
BATON_COLD void explain_again(const message::Request& request);

}  // namespace baton::collective
