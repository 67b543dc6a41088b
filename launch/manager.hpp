// Starts the ranks, watches them, ends the job. It runs in a process of its own below `mpiexec`, so
// that either can clean up after the other: see main.cpp.
#pragma once

#include "launch/run/job.hpp"
#include "launch/run/spawn.hpp"

namespace baton::launch {

// These are the pipes between the two processes.
struct Connection {
  // This is a read end: it is closed when the process above has died; a byte releases ranks that
  // are held.
  int guard;
  // This is a write end: it gets the ranks' process ids, once all are started.
  int ranks;
};

// Runs the job from start to end; returns mpiexec's exit code. Signals that end a job must be
// blocked already, and reports go out in the background (reports/report.hpp).
int manage(const Job& job, const Connection& connection, const Inherited& inherited);

}  // namespace baton::launch
