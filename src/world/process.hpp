// This is start and end of this process in the job: its launcher, its rank, and how it leaves.
#pragma once

#include "base/error.hpp"
#include "world/error_handler.hpp"
#include "world/session.hpp"

namespace baton::world {

// Returns the number of processes of MPI_COMM_WORLD, also before there is one; 0 where the
// launcher's word cannot be read.
int process_count();
// Returns the highest thread level that was provided so far.
int highest_thread_level();

// These are the world model: MPI_Init and MPI_Finalize. `required` and `provided` are thread
// levels. The start is refused, with an explanation, under a launcher that Baton has no connection
// to.
Error start_world(int required, int* provided);
Error end_world();

// These are the sessions model: they begin and end a session; the thread level is the one wanted.
// Errors: MPI_ERR_NO_MEM, or why the library cannot start.
Error start_session(int thread_level, ErrorHandler& handler, Session** made);
Error end_session(Session& session);

// Ends the whole job with this exit code. The launcher ends the other ranks.
[[noreturn]] void abort_process(int code);

}  // namespace baton::world
