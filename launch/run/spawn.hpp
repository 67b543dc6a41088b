// Starts one rank's process. As cheap as a start can be: vfork, a handful of system calls, exec.
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "platform/memory_policy.hpp"

namespace baton::launch {

// Everything the child needs, made before the fork: it may not allocate between vfork and exec.
struct RankStart {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // NAME=VALUE
  std::string folder;                    // empty: stay
  std::vector<int> cpus;                 // empty: do not bind
  platform::MemoryBinding memory;        // of the process; standard: none
  int standard_input = -1;               // -1: inherit; likewise the next two
  int standard_output = -1;
  int standard_error = -1;
  bool own_session = false;
};

// What the launcher had before it changed them for itself; children get these back.
struct Inherited {
  sigset_t signals;
  rlimit open_files;
};

// The file a shell would run, seen from the rank's folder.
std::optional<std::string> find_program(const std::string& name, const std::string& folder,
                                        const std::vector<std::string>& environment);

// Starts it, killed by the kernel should this process die. The error names the program and the
// cause.
std::expected<pid_t, std::string> start_rank(const RankStart& rank, const Inherited& inherited);

}  // namespace baton::launch
