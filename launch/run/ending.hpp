// What the end of a rank means: pure, from its wait status and its row of the status board.
// Invariant: a row may hold anything, since ranks can write to it; no value of it is trusted.
#pragma once

#include <string>

#include "lockfree/job.hpp"

namespace baton::launch {

inline constexpr int timeout_code = 124;  // of --timeout, as timeout(1) has it

struct Ended {
  int rank;
  int wait_status;
  lockfree::Phase phase;
  int abort_code = 0;  // with Phase::aborted
  lockfree::AbortCause abort_cause = lockfree::AbortCause::none;
};

struct Verdict {
  std::string text;           // what the rank did; empty: a good end
  int code = 0;               // mpiexec's, if this rank was the first to fail
  bool harmless = false;      // nobody waits for this rank: the others may go on
  bool without_init = false;  // a good end, unless another rank has called MPI_Init
};

Verdict judge(const Ended& ended);

// Among ranks that ended at the same moment the worst is the culprit, and the others often died of
// it.
int severity(const Ended& ended);

// How a process ended, as waitpid tells it: "segmentation fault (signal 11)", "exit code 7".
std::string ending_text(int wait_status);

// 128+n for signals.
int ending_code(int wait_status);

}  // namespace baton::launch
