// Ranks with threads: what OpenMP is told of a rank's CPUs, and what is wrong with a plan for them.
#pragma once

#include <string>
#include <vector>

#include "launch/options/options.hpp"
#include "machine/placement.hpp"

namespace baton::launch {

// Threads that each rank is to get CPUs for: of the layout, of --map-by LEVEL:pe=N, else the
// largest OMP_NUM_THREADS among the programs.
int rank_width(const Options& options);

// The cores of a rank as OMP_PLACES has them: "{0,4},{1,5}".
std::string places_text(const machine::Machine& machine, const machine::PlannedRank& rank);

// A job's ranks with threads: the machine and where they are placed on it.
struct ThreadPlan {
  const Options& options;
  const machine::Machine& machine;
  const machine::Placement& placement;
};

// Under --layout, OMP_NUM_THREADS, OMP_PLACES and OMP_PROC_BIND of a rank. What the user says by
// -env or -genv wins, what mpiexec inherited does not.
void set_thread_variables(const ThreadPlan& plan, const Program& program, int rank,
                          std::vector<std::string>& environment);

// Sentences about ranks with more threads than CPUs.
std::vector<std::string> thread_warnings(const Options& options,
                                         const machine::Placement& placement);

}  // namespace baton::launch
