// This finds the CPUs of other jobs on this machine, for placement, and claims this job's CPUs. It
// does nothing with BATON_OTHER_JOBS=ignore, or inside a rank of another job, whose CPUs are ours.
#pragma once

#include "machine/beside.hpp"
#include "platform/cpu_claims.hpp"

namespace baton::launch {

class OtherJobs {
 public:
  // Returns the CPUs to which other jobs have bound ranks. Other mpiexecs that start now wait, for
  // a moment, until `claim` or the end of this object.
  std::vector<int> look(const machine::Machine& machine);
  // Claims the CPUs of ranks that are bound, as long as this process or the manager lives.
  void claim(const machine::Placement& placement);

 private:
  platform::CpuClaims claims_;
};

}  // namespace baton::launch
