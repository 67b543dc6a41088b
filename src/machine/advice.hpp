// What is worth trying on a machine, and why: `baton advise` without a command. Pure: machine in,
// options of mpiexec with their reasons out. The figures are those of the studies that Baton comes
// from (docs/placement.md#advice); what a program makes of them is to be measured.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace baton::machine {

struct Advice {
  std::string options;  // of mpiexec
  std::string purpose;  // which programs may gain
  std::string reason;
  std::string study;  // numa, hbm or hybrid; empty: what Baton does, of no study
};

// Best first. `ranks` as the user wants them; 0: as many as mpiexec starts without -n.
std::vector<Advice> advise(const Machine& machine, int ranks);

// What of the machine matters for it, in a sentence.
std::string situation_text(const Machine& machine);

// Ranks and threads of a hybrid job.
struct HybridLayout {
  int ranks = 0;
  int threads = 1;
  Level inside = Level::machine;  // what the threads of a rank share
};
// Threads inside the smallest object that several cores share, on `cores` cores in all; 0 ranks:
// there is none to be made of them.
HybridLayout hybrid_layout(const Machine& machine, int cores);

}  // namespace baton::machine
