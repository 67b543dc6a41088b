// What the kernel says that a process is doing. Reads /proc; `root` is "" on a live system, tests
// pass a folder that holds proc/.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace baton::status {

struct ProcessLook {
  char state = 0;  // as in /proc/PID/stat; 0: there is no such process, or no /proc
  int threads = 0;
  std::uint64_t cpu_ticks = 0;  // used by all of them so far
  std::string system_call;      // that its main thread sleeps in, in words; empty: not known
};

ProcessLook look_at_process(pid_t process, const std::string& root = "");

// Clock ticks in a second.
double ticks_per_second();

}  // namespace baton::status
