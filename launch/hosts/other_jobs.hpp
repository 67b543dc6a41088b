// What other jobs run on this machine, for placement, and this job's own claim to CPUs. Nothing of
// it with BATON_OTHER_JOBS=ignore, or inside a rank of another job, whose CPUs are ours.
#pragma once

#include "machine/beside.hpp"
#include "platform/cpu_claims.hpp"

namespace baton::launch {

class OtherJobs {
 public:
  // Other mpiexecs that start now wait, for a moment, until `claim` or the end of this object.
  // Gives the CPUs that other jobs have bound ranks to.
  std::vector<int> look(const machine::Machine& machine);
  // The CPUs of ranks that are bound; for as long as this process or the manager lives.
  void claim(const machine::Placement& placement);

 private:
  platform::CpuClaims claims_;
};

}  // namespace baton::launch
