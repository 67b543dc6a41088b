// Jobs on other hosts: another launcher starts them, and this mpiexec hands the command over to the
// one that is installed. The ranks then find each other through it (src/world/join.hpp).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "launch/options.hpp"

namespace baton::launch {

enum class OtherLauncher { srun, prterun, hydra };

// A launcher that is there.
struct FoundLauncher {
  OtherLauncher kind = OtherLauncher::srun;
  std::string program;
  std::string pmi;  // of srun: the kind of process manager that it has for ranks
};

// Whether the job is for other hosts than this one: hosts were named that are, or the batch system
// has given several and mpiexec runs as one process for all.
bool is_for_other_hosts(const Options& options);

// The command for it. The error names an option that cannot be carried there, or what is missing.
// Pure. `variables`: NAME=VALUE, for the ranks.
std::expected<std::vector<std::string>, std::string> command_for(
    const FoundLauncher& launcher, const Options& options,
    const std::vector<std::string>& variables);

// Becomes that launcher. Returns only with an error, in words.
std::string hand_over(const Options& options);

}  // namespace baton::launch
