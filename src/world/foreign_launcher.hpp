// Other launchers, seen from a process that starts MPI: those that started it without a connection
// that Baton knows, and those that it may start itself.
#pragma once

#include "base/error.hpp"

namespace baton::world {

// An error where another launcher started this process: it would be rank 0 of 1, as would all
// that started with it.
Error refuse_foreign_launcher();

// The folder by which mpiexec led this rank to Baton's library leaves LD_LIBRARY_PATH again, so
// that the ranks of another MPI's mpiexec that the program may start load their own.
void leave_library_folder();

}  // namespace baton::world
