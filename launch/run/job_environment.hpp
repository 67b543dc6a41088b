// This is what ranks are told of their job by their environment.
#pragma once

#include <string>
#include <vector>

#include "launch/run/job.hpp"

namespace baton::launch {

// These are the ends of pipes that ranks inherit.
struct InheritedEnds {
  int lifeline;
  int family;  // -1: there is none
};

// Returns the variables for the program at `place` of the job's programs.
std::vector<std::string> job_environment(const Job& job, std::size_t place,
                                         const InheritedEnds& ends);

// Adds what depends on the rank: its number, and which of the devices that it sees it is to use.
void tell_rank(int number, const machine::PlannedRank& rank, std::vector<std::string>& environment);

}  // namespace baton::launch
