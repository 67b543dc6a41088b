// This finds out whether a rank was killed because memory had run out: the signal alone does not
// say so.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "machine/quota.hpp"

namespace baton::launch {

class MemoryKillWatch {
 public:
  // Begins to watch, before the ranks start. Only later records of the kernel's log count, since
  // process ids are reused.
  MemoryKillWatch();
  ~MemoryKillWatch();
  MemoryKillWatch(const MemoryKillWatch&) = delete;
  MemoryKillWatch& operator=(const MemoryKillWatch&) = delete;

  // Returns the reason for the end of a process by SIGKILL, as the end of a sentence; empty:
  // nothing points to memory. It comes from the kernel's log where this user may read it, else from
  // the kernel's counters.
  std::string reason(pid_t process);

 private:
  std::string logged(pid_t process);

  machine::MemoryKills before_;
  int log_;  // -1: the user may not read it
  std::vector<std::string> kills_;
};

}  // namespace baton::launch
