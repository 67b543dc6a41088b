// This process's start and end in the job: who launched it, which rank it is, and how it leaves.
#pragma once

#include "base/error.hpp"

namespace baton::world {

// One more user of the library, which starts with the first: finds the launcher, maps the job's
// memory, makes the predefined objects. `required` and `provided` are thread levels. Refuses, with
// an explanation, under a launcher it cannot speak to.
Error begin_use(int required, int* provided);
// One user less. The last one hands out what is still under way; memory and objects stay, since a
// session may begin at any time.
void end_use();

// Of MPI_COMM_WORLD, also before there is one; 0 where the launcher's word cannot be read.
int process_count();
// The highest thread level that was provided so far.
int highest_thread_level();

// The world model: MPI_Init and MPI_Finalize.
Error start_world(int required, int* provided);
Error end_world();

// Ends the whole job with this exit code. The launcher ends the other ranks.
[[noreturn]] void abort_process(int code);

}  // namespace baton::world
