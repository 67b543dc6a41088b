// This starts jobs on other hosts: it hands the command to another launcher that is installed,
// which starts an mpiexec on each host. That mpiexec runs the host's ranks (node_job.hpp).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "launch/options/options.hpp"

namespace baton::launch {

enum class OtherLauncher { srun, prterun, hydra };

// This is a launcher that is installed.
struct FoundLauncher {
  OtherLauncher kind = OtherLauncher::srun;
  std::string program;
  std::string pmi;  // for srun: the kind of process manager that it has for ranks
};

// Returns whether the job is for other hosts than this one: other hosts were named, or the batch
// system has given several and mpiexec runs as one process for all.
bool is_for_other_hosts(const Options& options);

// The command depends on these beside the options.
struct Surroundings {
  std::string mpiexec;                 // this mpiexec's file
  std::vector<std::string> variables;  // NAME=VALUE, for the mpiexec of each host
  std::vector<int> slurm_tasks;        // by node of the allocation; empty: there is none
};

// Returns the command for that launcher: one mpiexec on each host, which is told how many ranks all
// hosts have. The error names an option that cannot be passed on, or what is missing. It is pure.
std::expected<std::vector<std::string>, std::string> command_for(const FoundLauncher& launcher,
                                                                 const Options& options,
                                                                 const Surroundings& surroundings);

// Becomes that launcher. It returns only with an error, in words.
std::string hand_over(const Options& options);

}  // namespace baton::launch
