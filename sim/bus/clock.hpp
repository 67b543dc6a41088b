// The case that is being simulated, as all modules see it, and cycles instead of SystemC's time.
// Written by Machine before a case; only outcome grows while it runs.
// Time goes on from case to case: SystemC's never goes back, so a case counts from its own
// beginning.
#pragma once

#include <systemc>

#include "sim/bus/case.hpp"

namespace baton::bus {

inline constexpr double nanoseconds_per_cycle = 1e9 / cycles_per_second;

struct Running {
  const Case* given = nullptr;
  Outcome* outcome = nullptr;
  std::uint64_t cycle = 1;  // in SystemC's units
  std::uint64_t begin = 0;

  Cycles now() const { return (sc_core::sc_time_stamp().value() - begin) / cycle; }
  sc_core::sc_time span(Cycles cycles) const {
    return sc_core::sc_time::from_value(cycles * cycle);
  }
};

}  // namespace baton::bus
