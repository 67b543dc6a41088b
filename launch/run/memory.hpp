// Where the job's memory goes: what was asked, what the machine makes of it, and the launcher's
// share in it. The launcher binds every slice before a rank starts (a policy on shared memory stays
// with the file, and whoever reserves a part follows it), tells ranks where words lead them, and
// starts them under the policy of `all`.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "launch/options/options.hpp"
#include "launch/run/job_file.hpp"
#include "machine/memory_plan.hpp"
#include "platform/memory_policy.hpp"

namespace baton::launch {

// For ranks at home in one node.
struct HomePlan {
  int home = -1;
  std::vector<int> ranks;
  machine::PlannedMemory queues, heap, all;
  lockfree::MemoryRow row;  // as those ranks find it
};

struct MemoryPlan {
  NumaPolicies policies;
  std::string asked;  // the option or variable it comes from, with its value; empty: nobody asked
  std::vector<HomePlan> homes;
  int first_rank = 0;              // the number of this node's first rank, for people
  std::vector<std::string> notes;  // what will not be as asked, and why
};

// From --memory, else from BATON_MEMORY as the first program has it. The error names the mistake
// and the valid words. Reads more of the machine where somebody asked.
std::expected<MemoryPlan, std::string> plan_memory(const Options& options,
                                                   machine::Machine& machine,
                                                   const machine::Placement& placement);

// For people, where somebody asked: which nodes, and why.
std::string plan_text(const MemoryPlan& plan, const machine::Machine& machine);

// Before ranks start: checks that what is asked strictly has room, binds the slices, fills the
// ranks' rows. What the kernel refuses becomes a note; where it was asked strictly, the error.
std::expected<void, std::string> place_job(MemoryPlan& plan, const machine::Machine& machine,
                                           const JobFile& file);

// The policy under which that rank starts; MemoryMode::standard: none.
platform::MemoryBinding process_binding(const MemoryPlan& plan, int rank);

}  // namespace baton::launch
