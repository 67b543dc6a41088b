// A claim tells other jobs on this machine that a job has bound ranks to a CPU: it is a lock for
// each CPU that the job holds while it lives, on a byte of a kernel file that everybody can read
// and nobody changes. So claims need no name, no directory and no cleaning up, and all users see
// each other's. Claims are advisory: a job that does not look at them is not stopped.
#pragma once

#include <vector>

namespace baton::platform {

class CpuClaims {
 public:
  // Where the kernel offers no such file or no locks on it, nothing is claimed and no claims are
  // seen.
  CpuClaims();
  CpuClaims(const CpuClaims&) = delete;
  CpuClaims& operator=(const CpuClaims&) = delete;

  // Takes a lock, if it can be had soon, so that no other job looks at claims or claims CPUs before
  // this one has called `claim`. So two jobs that start at the same moment take different CPUs.
  void begin();
  bool is_claimed(int cpu) const;
  // Claims these CPUs as long as this process lives, or a child of it that has not called exec.
  void claim(const std::vector<int>& cpus);

 private:
  int file_ = -1;
  int turn_ = -1;
};

}  // namespace baton::platform
