// `mpiexec --config` has the five configurations of cores and memory of the study "effects of
// memory parallelism in multicore NUMA systems" (2016), for any number of NUMA nodes. This is pure:
// a name and the machine in, words for --cores and --memory out.
#pragma once

#include <expected>
#include <string>

#include "machine/cores.hpp"

namespace baton::machine {

struct Configuration {
  CoreChoice cores;
  std::string memory;  // as --memory takes it
  int ranks = 0;
};

// The names are: local (cores on as few NUMA nodes as hold the ranks, memory near each), interleave
// (these cores, memory over all nodes), spread (ranks dealt out over all nodes, memory all on the
// first), spread-interleave (both) and remote (cores as local, memory on another node). There are
// `ranks` ranks of `width` threads; 0: as many in each configuration as the first node has cores
// for, so that configurations can be compared. The error lists the valid names.
std::expected<Configuration, std::string> configure(const Machine& machine, const std::string& name,
                                                    int ranks, int width);

}  // namespace baton::machine
