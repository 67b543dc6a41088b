// This finds ranks that have ended although others wait for them, from the status board. The
// manager calls it, and then ends the job.
#pragma once

#include <string>
#include <vector>

#include "launch/run/job.hpp"

namespace baton::launch {

// A rank that ended without MPI_Init (-1: none) leaves the ranks that called it waiting for ever.
// Returns that in words; empty: no rank called it.
std::string missing_init(const Job& job, const std::vector<bool>& running, int ended_without_init);

// A rank that ended after fewer programs, one after the other, than another rank has run by now
// leaves that one waiting, too.
std::string missing_program(const Job& job, const std::vector<bool>& running);

}  // namespace baton::launch
