// These are the configurations that `baton advise -- COMMAND` tries here. This is pure: machine in,
// options of mpiexec out.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace baton::cli::advise {

struct Candidate {
  std::vector<std::string> options;  // of mpiexec
  std::string effect;                // what differs with them

  std::string text() const;  // "-n 4 --bind-to none"
};

struct Candidates {
  std::vector<Candidate> tried;   // the first: mpiexec's defaults
  std::vector<std::string> same;  // options that are equivalent to one of them
  std::string why_same;           // in words, where the whole machine is the reason
};

struct Wanted {
  int ranks = 0;         // 0: as many as mpiexec starts by default
  int width = 1;         // threads that a rank has anyway
  bool layouts = false;  // other numbers of ranks and threads are tried, too
};

// Returns the most promising first, so that a short time suffices for these. Empty: no plan at all
// can be made (too many ranks, say); then *problem says why.
Candidates candidates(const machine::Machine& machine, const Wanted& wanted, std::string* problem);

}  // namespace baton::cli::advise
