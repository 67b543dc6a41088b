// The environment of a rank: the launcher's own, less what belongs to other launchers, plus what
// the user asked for and what the library needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/options/options.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

// Without the three variables that differ between ranks.
std::vector<std::string> program_environment(const Options& options, const Program& program);

// Leaves the connection to the launcher of a job over several nodes to a rank, or takes it away.
void leave_launcher(bool to_rank, std::vector<std::string>& environment);

// Whether this is another launcher (mpirun, srun), whose programs are to find their own library.
bool is_launcher(const std::string& program);

// How the ranks' settings want messages to travel. Ranks go by it; one whose setting of a deposit
// model is another says so at its start.
lockfree::RingPlan ring_plan(const Options& options);
// How many ranks are taken for a node of their own; 0: all.
int ranks_per_node(const Options& options);

// Sets or replaces one variable.
void set_variable(std::vector<std::string>& environment, const std::string& name,
                  const std::string& value);

std::optional<std::string> find_variable(const std::vector<std::string>& environment,
                                         const std::string& name);

}  // namespace baton::launch
