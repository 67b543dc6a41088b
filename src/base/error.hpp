// Errors inside the library: an MPI error class (0 is success) and, beside it, one explanation per
// thread, written by the first to notice. The entry points of layer 10 turn both into a call of the
// right error handler; nothing below layer 10 calls a handler or prints.
#pragma once

#include <mpi.h>

#include "base/cache_line.hpp"

namespace baton {

// An MPI error class; MPI_SUCCESS is 0. Everything that returns it must be looked at.
using Error = int;

// What went wrong last on this thread. `target` is the object whose error handler is due, or null
// for the object the procedure was called with.
struct Explanation {
  Error error_class;
  void* target;
  char text[480];
};

// The calling thread's explanation; valid until its next failure.
Explanation& last_explanation();

// Records an explanation (printf form: cause first, then remedy) and returns `error_class`.
[[nodiscard]] BATON_COLD __attribute__((format(printf, 2, 3))) Error fail(Error error_class,
                                                                          const char* format, ...);

}  // namespace baton
