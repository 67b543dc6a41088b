// The sweeper is a process that outlives mpiexec and its manager when both are killed at once, as
// other launchers kill a process group with SIGKILL. The kernel then kills the ranks, but nobody is
// left that knows the processes they have started: the sweeper kills their sessions. It leads a
// session of its own, waits in one read, and is killed where the job ends in any other way.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>

namespace baton::launch {

class Sweeper {
 public:
  // This is called before the manager is started, which inherits a pipe: its end of file tells the
  // sweeper that both are gone. `words` are mpiexec's arguments, which the sweeper replaces by its
  // own name.
  Sweeper(std::size_t ranks, std::span<char*> words);

  // This is called once the ranks run, so that they do not wait for it. Where memory or processes
  // are short, the job runs without it.
  void start();

  void end();

 private:
  std::span<char*> words_;
  int gone_ = -1;  // read end of the pipe; -1: there can be no sweeper
  pid_t process_ = -1;
};

}  // namespace baton::launch
