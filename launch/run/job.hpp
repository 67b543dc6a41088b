// This is a job as its manager has it: the options, and all that was planned and made from them.
#pragma once

#include <string>

#include "launch/options/options.hpp"
#include "launch/run/job_file.hpp"
#include "launch/run/memory.hpp"
#include "machine/placement.hpp"

namespace baton::launch {

// This is the part of the machine's profile that a job uses (reports/profile_in_use.hpp).
struct ProfileInUse {
  std::string asked_for;    // by --profile or BATON_PROFILE, as ranks are told
  std::string file;         // empty: none
  std::string date;         // when it was measured
  std::string values;       // for the ranks' settings
  std::string collectives;  // for their selection of algorithms
  std::string network;      // measured values of one network, for ranks that use it
};

struct Job {
  const Options& options;
  const machine::Machine& machine;
  const machine::Placement& placement;
  JobFile file;
  const ProfileInUse& profile;
  const MemoryPlan& memory;
};

}  // namespace baton::launch
