// Where ranks go beside other jobs of the machine: pure, as placement is. Cores that these have
// bound ranks to are left alone; where too few are left, nobody is bound, so that the kernel shares
// what there is. Processes that are no ranks do not count: the kernel moves them, and two ranks
// that are not bound beside them often get one CPU by turns, in which neither finds the other
// running (us for 8 bytes one way, all time counted, 2 ranks beside 1 and 2 busy loops on 2 cores
// of a Zen 4 virtual machine, 2026-11-24: bound .3 to 1.5, not bound 4 to 1950; where each computes
// for 10 ms between two allreduces, the same).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "machine/placement.hpp"

namespace baton::machine {

// `by_jobs`: CPUs that other jobs have bound their ranks to. Cores that were named are taken; who
// asks for binding is bound, to free cores if there are enough.
std::expected<Placement, std::string> place_beside(const Machine& whole,
                                                   const PlacementPolicy& asked,
                                                   const std::vector<int>& by_jobs);

}  // namespace baton::machine
