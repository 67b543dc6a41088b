// How far apart CPUs are while `baton tune` measures (base/distance.hpp): what is measured at one
// distance is compared with nothing else. On virtual machines it changes within seconds.
#pragma once

#include "base/distance.hpp"
#include "machine/machine.hpp"
#include "profile/profile.hpp"

namespace baton::cli::tune {

// Returns how far apart the two CPUs are now. Far where it cannot be measured, as for jobs.
Distance distance_now(const profile::Pair& pair);

// Returns the CPUs of two ranks of a job of so many that are as far apart as any of it are, by what
// the machine says. Both are -1 where no two ranks are on different CPUs.
profile::Pair farthest_pair(const machine::Machine& machine, int ranks);

}  // namespace baton::cli::tune
