// Ranks that have ended and are waited for all the same, by what the status board says. For the
// manager, which then ends the job.
#pragma once

#include <string>
#include <vector>

#include "launch/run/job.hpp"

namespace baton::launch {

// A rank that ended without MPI_Init (-1: none) leaves those that called it waiting for ever. In
// words; empty: nobody called it.
std::string missing_init(const Job& job, const std::vector<bool>& running, int ended_without_init);

// So does one that was fewer programs, one after the other, than another is by now.
std::string missing_program(const Job& job, const std::vector<bool>& running);

}  // namespace baton::launch
