// The jobs that ranks of this one have spawned (MPI_Comm_spawn): each is an mpiexec that a rank has
// started and that then came up to this process, which waits for it and returns its failure as its
// own. mpiexec makes itself known through a pipe that the ranks inherit.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <vector>

namespace baton::launch {

// A job that a rank has spawned, by the process id of its mpiexec, which is its number in
// `baton stat`, and its exit code; -1: it has not ended.
struct SpawnedJob {
  pid_t number;
  int code;
};

class Family {
 public:
  // Opens the pipe; false with errno set.
  bool open();
  // The end that ranks inherit.
  int end_for_ranks() const { return write_; }

  void add_to(std::vector<pollfd>& polled) const { polled.push_back({read_, POLLIN, 0}); }
  // Takes in what was told.
  void listen();
  // Takes the end of a child that is no rank; false: it is not of the family.
  bool take(pid_t child, int wait_status);
  bool is_running() const;
  // The exit code of the first job that has failed; 0: none has.
  int code() const { return code_; }
  // All that there were, in the order in which they made themselves known.
  const std::vector<SpawnedJob>& jobs() const { return jobs_; }

 private:
  int read_ = -1, write_ = -1;
  std::vector<SpawnedJob> jobs_;
  int code_ = 0;
};

// In an mpiexec that a rank has started to spawn a job: makes it known to the rank's manager, if
// there is one, which from then on waits for it.
void join_family();

}  // namespace baton::launch
