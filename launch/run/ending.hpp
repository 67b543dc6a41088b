// This judges the end of a rank from its wait status and its row of the status board; it is pure.
// Invariant: a row may hold anything, since ranks can write to it; no value of it is trusted.
#pragma once

#include <string>

#include "lockfree/job.hpp"

namespace baton::launch {

inline constexpr int timeout_code = 124;  // exit code of --timeout, as of timeout(1)

struct Ended {
  int rank;
  int wait_status;
  lockfree::Phase phase;
  int abort_code = 0;  // with Phase::aborted
  lockfree::AbortCause abort_cause = lockfree::AbortCause::none;
};

struct Verdict {
  std::string text;           // what the rank did; empty: it ended well
  int code = 0;               // mpiexec's, if this rank was the first to fail
  bool harmless = false;      // nobody waits for this rank: the others may go on
  bool without_init = false;  // it ended well, unless another rank has called MPI_Init
  bool died = false;          // it has failed by itself: a job may go on without it
};

Verdict judge(const Ended& ended);

// Returns how bad the end of a rank is: among ranks that ended at the same moment the worst is the
// culprit, and the others often died of it.
int severity(const Ended& ended);

// Returns how a process ended, by its status of waitpid: "segmentation fault (signal 11)", "exit
// code 7".
std::string ending_text(int wait_status);

// Returns the exit code, 128+n for signal n.
int ending_code(int wait_status);

}  // namespace baton::launch
