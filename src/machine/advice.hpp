// This says what is worth trying on a machine, and why, for `baton advise` without a command. It is
// pure: machine in, options of mpiexec with their reasons out. The figures are those of the studies
// from which Baton comes (docs/placement.md#advice); whether a program gains from them is to be
// measured.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace baton::machine {

struct Advice {
  std::string options;  // of mpiexec
  std::string purpose;  // which programs may gain
  std::string reason;
  std::string study;  // numa, hbm or hybrid; empty: the advice comes from no study
};

// Returns the best advice first. `ranks` is the number that the user wants; 0: as many as mpiexec
// starts without -n.
std::vector<Advice> advise(const Machine& machine, int ranks);

// Describes in a sentence the parts of the machine that matter for the advice.
std::string situation_text(const Machine& machine);

// This is the number of ranks and threads of a hybrid job.
struct HybridLayout {
  int ranks = 0;
  int threads = 1;
  Level inside = Level::machine;  // what the threads of a rank share
};
// Puts threads inside the smallest object that several cores share, on `cores` cores in all; 0
// ranks: no such layout is possible.
HybridLayout hybrid_layout(const Machine& machine, int cores);

}  // namespace baton::machine
