// Starts a program that is nobody's child here, so that this process need not wait for it: its
// parent is whoever takes in orphans, such as mpiexec.
#pragma once

#include <sys/types.h>

namespace baton::platform {

struct DetachedProgram {
  const char* path = nullptr;
  char* const* arguments = nullptr;    // with the name, and a null at the end
  char* const* environment = nullptr;  // with a null at the end
  int cpus_of = 0;                     // it may run where this process may; 0: where we may
  int inherited[2] = {-1, -1};         // descriptors that it gets under the same number; -1: none
};
// Starts it with an empty standard input, no signals blocked and the kernel's own memory policy.
// Returns its process id; -1 with errno set.
pid_t start_detached(const DetachedProgram& program);

}  // namespace baton::platform
