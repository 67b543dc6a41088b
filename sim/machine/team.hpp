// Processes with threads on one or several hosts, each host planned by Baton for itself. A thread
// that is bound uses its own node's memory. One that is not bound drifts over its host, away from
// what it uses: its accesses go to all nodes of the host in equal parts.
#pragma once

#include "sim/machine/plan.hpp"

namespace baton::model {

struct Team {
  std::vector<int> processes;  // on each host, the master not counted
  int threads = 1;             // of each process
  bool master = false;         // one process on top, of one thread, on the first host; it rests
  bool bound = true;
  int resting = 0;           // so many processes, the first ones, have CPUs and do nothing
  bool first_alone = false;  // of each process that works only the first thread runs
};

struct PlacedThread {
  int host;
  int process;  // number on its host; the master is not counted
  int cpu;
  std::vector<int> nodes;
};

// Those that run. Throws std::runtime_error in the planning's own words, and for more processes or
// hosts than there are.
std::vector<PlacedThread> place_team(const Description& description, const Team& team);
Case case_of_team(const Description& description, const std::string& name,
                  const std::vector<PlacedThread>& threads, const Program& program);

}  // namespace baton::model
