// Jobs on other hosts: another launcher, the one that is installed, is handed the command and
// starts an mpiexec on each host, which does for that host's ranks what mpiexec does
// (node_job.hpp).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "launch/options/options.hpp"

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

// What the command depends on beside the options.
struct Surroundings {
  std::string mpiexec;                 // this one's file
  std::vector<std::string> variables;  // NAME=VALUE, for the mpiexec of each host
  std::vector<int> slurm_tasks;        // by node of the allocation; empty: there is none
};

// The command for it: one mpiexec on each host, which is told how many ranks all have. The error
// names an option that cannot be carried there, or what is missing. Pure.
std::expected<std::vector<std::string>, std::string> command_for(const FoundLauncher& launcher,
                                                                 const Options& options,
                                                                 const Surroundings& surroundings);

// Becomes that launcher. Returns only with an error, in words.
std::string hand_over(const Options& options);

}  // namespace baton::launch
