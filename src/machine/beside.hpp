// Where ranks go beside what already runs on the machine: pure, as placement is. Cores that other
// jobs have bound ranks to are left alone; where too few are left, nobody is bound, so that the
// kernel shares what there is.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "machine/placement.hpp"

namespace baton::machine {

struct Occupied {
  std::vector<int> by_jobs;  // CPUs that other jobs have bound their ranks to
  int running = 0;           // other processes that run now and have done so for a while
};

// Cores that were named are taken; who asks for binding is bound, to free cores if there are
// enough.
std::expected<Placement, std::string> place_beside(const Machine& whole,
                                                   const PlacementPolicy& asked,
                                                   const Occupied& occupied);

// /proc/loadavg: of the processes that run now, and of those of the last minute, the fewer; less
// this process and `of_jobs`. 0 where it cannot be read. `root` as in quota.hpp.
int running_beside(const std::string& root, int of_jobs);

}  // namespace baton::machine
