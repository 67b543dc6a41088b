// Starts the ranks, watches them, ends the job. It runs in a process of its own below `mpiexec`, so
// that either can clean up after the other: see main.cpp.
#pragma once

#include "launch/job_file.hpp"
#include "launch/options.hpp"
#include "launch/spawn.hpp"
#include "machine/placement.hpp"

namespace baton::launch {

struct Job {
  const Options& options;
  const machine::Machine& machine;
  const machine::Placement& placement;
  JobFile file;
};

// The whole life of the job; returns mpiexec's exit code. `guard_end` becomes readable when the
// process above has died. Signals that end a job must be blocked already.
int manage(const Job& job, int guard_end, const Inherited& inherited);

}  // namespace baton::launch
