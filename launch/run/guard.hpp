// While the manager runs the job, the process that people see runs this: it passes signals down,
// shows the ranks to debuggers, and ends a manager that does not react, since it may be stopped or
// stuck. Invariant: nothing here blocks but one poll, for signals, the manager's news and the
// clock.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "launch/run/sweeper.hpp"

namespace baton::launch {

struct Watched {
  pid_t manager;
  int signals;              // a signalfd of heeded_signals()
  int ranks;                // read end: the ranks' process ids, once all are started
  int release;              // write end: a byte lets ranks that are held go on
  std::size_t ranks_count;  // number of ranks that there are to be
  double timeout_seconds;   // of the job, which the manager looks after; 0: none
  Sweeper& sweeper;
};

struct JobEnd {
  int code;                  // mpiexec's exit code
  std::string problem;       // with the manager, to be reported; empty: none
  std::vector<pid_t> ranks;  // as far as they are known
};

// Guards the job. It returns when the manager has ended.
JobEnd guard(const Watched& watched);

}  // namespace baton::launch
