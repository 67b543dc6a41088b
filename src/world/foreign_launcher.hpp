// These are other launchers, as a process that starts MPI sees them: those that started it without
// a connection that Baton knows, and those that it may start itself.
#pragma once

#include "base/error.hpp"

namespace baton::world {

// Returns an error where another launcher started this process without a connection: the process
// would be rank 0 of 1, as would all that started with it.
Error refuse_foreign_launcher();

// Takes the folder by which mpiexec led this rank to Baton's library out of LD_LIBRARY_PATH, so
// that the ranks of another MPI's mpiexec that the program may start load their own library.
void leave_library_folder();

}  // namespace baton::world
