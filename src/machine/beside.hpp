// This places ranks beside other jobs of the machine; it is pure, as placement is. Cores to which
// other jobs have bound ranks are left alone; where too few are left, no rank is bound, so that the
// kernel shares the CPUs. Processes that are no ranks do not count: the kernel moves them, and two
// ranks that are not bound beside them often get one CPU by turns, in which neither finds the other
// running (us for 8 bytes one way, all time counted, 2 ranks beside 1 and 2 busy loops on 2 cores
// of a Zen 4 virtual machine, 2026-11-24: bound .3 to 1.5, not bound 4 to 1950; where each computes
// for 10 ms between two allreduces, the same).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "machine/placement.hpp"

namespace baton::machine {

// `by_jobs` are the CPUs to which other jobs have bound their ranks. Cores that the user named are
// taken all the same; ranks for which binding is asked are bound, to free cores if there are
// enough.
std::expected<Placement, std::string> place_beside(const Machine& whole,
                                                   const PlacementPolicy& asked,
                                                   const std::vector<int>& by_jobs);

}  // namespace baton::machine
