// This tells what a process is doing, as the kernel says in /proc. `root` is "" on a live system;
// tests pass a folder that holds proc/.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace baton::status {

struct ProcessLook {
  char state = 0;  // as in /proc/PID/stat; 0: there is no such process, or no /proc
  int threads = 0;
  std::uint64_t cpu_ticks = 0;  // used by all its threads so far
  std::string system_call;      // in which its main thread sleeps, in words; empty: not known
};

ProcessLook look_at_process(pid_t process, const std::string& root = "");

// Returns the clock ticks in a second.
double ticks_per_second();

}  // namespace baton::status
