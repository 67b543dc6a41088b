// A job as its manager has it: what was asked for, and what was planned and made of it.
#pragma once

#include "launch/job_file.hpp"
#include "launch/memory.hpp"
#include "launch/options.hpp"
#include "launch/profile_in_use.hpp"
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
