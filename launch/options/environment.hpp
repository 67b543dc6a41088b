// The environment of a rank is the launcher's own, less the variables of other launchers, plus
// those that the user asked for and that the library needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/distance.hpp"
#include "launch/options/options.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

// Returns the environment without the three variables that differ between ranks.
std::vector<std::string> program_environment(const Options& options, const Program& program);

// Gives a rank the connection to the launcher of a job over several nodes, or takes it away.
void leave_launcher(bool to_rank, std::vector<std::string>& environment);

// Returns whether the program is another launcher (mpirun, srun), whose programs are to find their
// own library.
bool is_launcher(const std::string& program);

// Returns how the ranks' settings want messages to travel. Ranks follow it; a rank whose setting of
// a deposit model differs says so at its start.
lockfree::RingPlan ring_plan(const Options& options);
// Returns whether the ranks' settings want the job to go on when a rank dies.
bool continues_by_setting(const Options& options);
// Returns how many ranks form a pretended node; 0: all ranks are on one node.
int ranks_per_node(const Options& options);
// Returns which ranks are to count as near each other.
NearRanks near_ranks(const Options& options);

// Sets or replaces one variable.
void set_variable(std::vector<std::string>& environment, const std::string& name,
                  const std::string& value);

std::optional<std::string> find_variable(const std::vector<std::string>& environment,
                                         const std::string& name);

}  // namespace baton::launch
