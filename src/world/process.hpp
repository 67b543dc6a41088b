// This process's start and end in the job: who launched it, which rank it is, and how it leaves.
#pragma once

#include "base/error.hpp"
#include "world/error_handler.hpp"
#include "world/session.hpp"

namespace baton::world {

// Of MPI_COMM_WORLD, also before there is one; 0 where the launcher's word cannot be read.
int process_count();
// The highest thread level that was provided so far.
int highest_thread_level();

// The world model: MPI_Init and MPI_Finalize. `required` and `provided` are thread levels. Refuses,
// with an explanation, under a launcher that it cannot speak to.
Error start_world(int required, int* provided);
Error end_world();

// The sessions model: begins and ends one; the thread level is the one wanted. MPI_ERR_NO_MEM, or
// why the library cannot start.
Error start_session(int thread_level, ErrorHandler& handler, Session** made);
Error end_session(Session& session);

// Ends the whole job with this exit code. The launcher ends the other ranks.
[[noreturn]] void abort_process(int code);

}  // namespace baton::world
