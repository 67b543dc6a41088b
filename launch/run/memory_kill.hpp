// Whether a rank was killed because memory had run out: the kernel's signal alone does not say.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "machine/quota.hpp"

namespace baton::launch {

class MemoryKillWatch {
 public:
  // Before the ranks start: of the kernel's log only what comes after that counts, since process
  // ids come again.
  MemoryKillWatch();
  ~MemoryKillWatch();
  MemoryKillWatch(const MemoryKillWatch&) = delete;
  MemoryKillWatch& operator=(const MemoryKillWatch&) = delete;

  // Of a process that SIGKILL has ended: what is known, as a sentence's end; empty: nothing points
  // to memory. By the kernel's log where this user may read it, else by the kernel's counters.
  std::string reason(pid_t process);

 private:
  std::string logged(pid_t process);

  machine::MemoryKills before_;
  int log_;  // -1: it may not be read
  std::vector<std::string> kills_;
};

}  // namespace baton::launch
