// This is for ranks with threads: it tells OpenMP a rank's CPUs, and checks a plan for such ranks.
#pragma once

#include <string>
#include <vector>

#include "launch/options/options.hpp"
#include "machine/placement.hpp"

namespace baton::launch {

// Returns the number of threads for which each rank is to get CPUs: by the layout, of --map-by
// LEVEL:pe=N, else the largest OMP_NUM_THREADS among the programs.
int rank_width(const Options& options);

// Returns the cores of a rank as OMP_PLACES has them: "{0,4},{1,5}".
std::string places_text(const machine::Machine& machine, const machine::PlannedRank& rank);

// This is a job's plan for ranks with threads: the machine and where they are placed on it.
struct ThreadPlan {
  const Options& options;
  const machine::Machine& machine;
  const machine::Placement& placement;
};

// Sets OMP_NUM_THREADS, OMP_PLACES and OMP_PROC_BIND of a rank under --layout. Values that the user
// gives by -env or -genv win over these, values that mpiexec inherited do not.
void set_thread_variables(const ThreadPlan& plan, const Program& program, int rank,
                          std::vector<std::string>& environment);

// Returns sentences about ranks with more threads than CPUs.
std::vector<std::string> thread_warnings(const Options& options,
                                         const machine::Placement& placement);

}  // namespace baton::launch
