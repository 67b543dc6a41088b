// This process's start and end in the job: who launched it, which rank it is, and how it leaves.
#pragma once

#include "base/error.hpp"

namespace baton::world {

// Starts the library: finds the launcher, maps the arena, makes the predefined objects. `required`
// and `provided` are thread levels. Refuses, with an explanation, under a launcher it cannot speak
// to.
Error start_process(int required, int* provided);

// Ends it: hands out what is still under way, then lets go of the arena.
Error end_process();

// Ends the whole job with this exit code. The launcher ends the other ranks.
[[noreturn]] void abort_process(int code);

}  // namespace baton::world
