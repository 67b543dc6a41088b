// The configurations that `baton advise -- COMMAND` tries here. Pure: machine in, options of
// mpiexec out.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace baton::cli::advise {

struct Candidate {
  std::vector<std::string> options;  // of mpiexec
  std::string effect;                // what is different then

  std::string text() const;  // "-n 4 --bind-to none"
};

struct Candidates {
  std::vector<Candidate> tried;   // the first: what mpiexec does by itself
  std::vector<std::string> same;  // options that would come to the same as one of them
  std::string why_same;           // in words, where that is a matter of the whole machine
};

struct Wanted {
  int ranks = 0;         // 0: as many as mpiexec starts by itself
  int width = 1;         // threads a rank has anyway
  bool layouts = false;  // other numbers of ranks and threads, too
};

// Most promising first, so that a short time serves the first of them. Empty: no plan at all can
// be made (too many ranks, say); then *problem says why.
Candidates candidates(const machine::Machine& machine, const Wanted& wanted, std::string* problem);

}  // namespace baton::cli::advise
