// Which CPUs the jobs on this machine have bound their ranks to: a lock each that a job holds while
// it lives, on a file of the kernel's that everybody can read and nobody changes. So claims need no
// name, no directory and no cleaning up, and all users see each other's. Claims advise; who does
// not look at them is not stopped.
#pragma once

#include <vector>

namespace baton::platform {

class CpuClaims {
 public:
  // Where the kernel offers no such file or no locks on it, nothing is claimed and nobody claims.
  CpuClaims();
  CpuClaims(const CpuClaims&) = delete;
  CpuClaims& operator=(const CpuClaims&) = delete;

  // Until `claim` no other job looks or claims, if that can be had soon: two that start at the same
  // moment take different CPUs.
  void begin();
  bool is_claimed(int cpu) const;
  // As long as this process or a child of it lives that has not become another program.
  void claim(const std::vector<int>& cpus);

 private:
  int file_ = -1;
  int turn_ = -1;
};

}  // namespace baton::platform
