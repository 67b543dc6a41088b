// This starts one rank's process as cheaply as possible: vfork, a handful of system calls, exec.
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

// This is all that the child needs, made before the fork: it may not allocate between vfork and
// exec.
struct RankStart {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // NAME=VALUE
  std::string folder;                    // empty: the launcher's
  std::vector<int> cpus;                 // empty: not bound
  platform::MemoryBinding memory;        // of the process; standard: none
  int standard_input = -1;               // -1: inherited; likewise the next two
  int standard_output = -1;
  int standard_error = -1;
  bool own_session = false;
};

// These are the launcher's attributes before it changed them for itself; children get these back.
struct Inherited {
  sigset_t signals;
  rlimit open_files;
};

// Returns the file that a shell would run, relative to the rank's folder.
std::optional<std::string> find_program(const std::string& name, const std::string& folder,
                                        const std::vector<std::string>& environment);

// Starts the rank, which the kernel kills should this process die. The error names the program and
// the cause.
std::expected<pid_t, std::string> start_rank(const RankStart& rank, const Inherited& inherited);

}  // namespace baton::launch
