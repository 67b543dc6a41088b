// An error inside the library is an MPI error class (0 is success) and, beside it, one explanation
// per thread, written by the function that first notices the error. The entry points of layer 10
// turn both into a call of the right error handler; nothing below layer 10 calls a handler or
// prints.
#pragma once

#include <mpi.h>

#include "base/cache_line.hpp"

namespace baton {

// This is an MPI error class; MPI_SUCCESS is 0. A caller must check every value of this type.
using Error = int;

// An explanation says what went wrong last on this thread. `target` is the object whose error
// handler is due, or null for the object the procedure was called with.
struct Explanation {
  Error error_class;
  void* target;
  char text[480];
};

// Returns the calling thread's explanation. It is valid until the thread's next failure.
Explanation& last_explanation();

// Records an explanation (printf form: cause first, then remedy) and returns `error_class`.
[[nodiscard]] BATON_COLD __attribute__((format(printf, 2, 3))) Error fail(Error error_class,
                                                                          const char* format, ...);

}  // namespace baton
