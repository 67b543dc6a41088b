// This finds ranks that have ended although others wait for them, from the status board. The
// manager calls it, and then ends the job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/run/job.hpp"

namespace baton::launch {

// A rank that ended without MPI_Init leaves the ranks that called it waiting for ever.
// Returns that in words; empty: no rank called it.
std::string missing_init(const Job& job, const std::vector<bool>& running, int ended_without_init);

// A rank that ended after fewer programs, one after the other, than another rank has run by now
// leaves that one waiting, too.
std::string missing_program(const Job& job, const std::vector<bool>& running);

// A rank that has failed between two sessions (`ended_quietly`; -1: none) leaves ranks waiting that
// begin the next one. Ranks may have known of one that ended well.
std::string missing_session(const Job& job, const std::vector<bool>& running, int ended_quietly);

// Returns how often a rank has begun MPI.
std::uint32_t session_count(const Job& job, int rank);

}  // namespace baton::launch
