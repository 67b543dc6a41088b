// Whether a rank was killed because memory had run out: the kernel's signal alone does not say.
#pragma once

#include <sys/types.h>

#include <string>

#include "machine/quota.hpp"

namespace baton::launch {

class MemoryKillWatch {
 public:
  // Before the ranks start.
  MemoryKillWatch() : before_(machine::read_memory_kills("")) {}
  // Of a process that SIGKILL has ended: what is known, as a sentence's end; empty: nothing points
  // to memory. By the kernel's log where this user may read it, else by the kernel's counters.
  std::string reason(pid_t process) const;

 private:
  machine::MemoryKills before_;
};

}  // namespace baton::launch
