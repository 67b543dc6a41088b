// The options that a job passes on to the jobs that its ranks spawn: those for reports, which are
// about all that mpiexec has started. They travel in the variable BATON_FAMILY_OPTIONS.
#pragma once

#include <string>
#include <vector>

#include "launch/options/options.hpp"

namespace baton::launch {

// Returns the variable's value for the ranks of a job; empty: nothing is passed on.
std::string family_options(const Options& options);
// Returns the words of this process's variable, which stand before all others.
std::vector<std::string> inherited_options();

}  // namespace baton::launch
