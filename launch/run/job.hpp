// A job as its manager has it: what was asked for, and what was planned and made of it.
#pragma once

#include "launch/options/options.hpp"
#include "launch/reports/profile_in_use.hpp"
#include "launch/run/job_file.hpp"
#include "launch/run/memory.hpp"
#include "machine/placement.hpp"

namespace baton::launch {

struct Job {
  const Options& options;
  const machine::Machine& machine;
  const machine::Placement& placement;
  JobFile file;
  const ProfileInUse& profile;
  const MemoryPlan& memory;
};

}  // namespace baton::launch
