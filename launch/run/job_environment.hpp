// This is what ranks are told of their job by their environment, beside what depends on the rank.
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

}  // namespace baton::launch
