// This decides where the job's memory goes: which policies were asked for, which nodes they mean on
// this machine, and the launcher's part in carrying them out. The launcher binds every slice before
// a rank starts (a policy on shared memory stays with the file, and whoever reserves a part follows
// it), tells ranks which nodes the words mean for them, and starts them under the policy of `all`.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "launch/options/options.hpp"
#include "launch/run/job_file.hpp"
#include "machine/memory_plan.hpp"
#include "platform/memory_policy.hpp"

namespace baton::launch {

// This is the plan for ranks that have one home node.
struct HomePlan {
  int home = -1;
  std::vector<int> ranks;
  machine::PlannedMemory queues, heap, all;
  lockfree::MemoryRow row;  // row of these ranks
};

struct MemoryPlan {
  NumaPolicies policies;
  std::string asked;  // the option or variable with its value; empty: nobody asked
  std::vector<HomePlan> homes;
  int first_rank = 0;              // the number of this node's first rank, for people
  std::vector<std::string> notes;  // requests that will not be met as asked, and why
};

// Plans by --memory, else by BATON_MEMORY as the first program has it. The error names the mistake
// and the valid words. It reads more of the machine where somebody asked for a policy.
std::expected<MemoryPlan, std::string> plan_memory(const Options& options,
                                                   machine::Machine& machine,
                                                   const machine::Placement& placement);

// Returns a text for people, where somebody asked for a policy: which nodes, and why.
std::string plan_text(const MemoryPlan& plan, const machine::Machine& machine);

// Checks that strict policies have space, binds the slices and fills the ranks' rows, before ranks
// start. A policy that the kernel refuses becomes a note; a strict one the error.
std::expected<void, std::string> place_job(MemoryPlan& plan, const machine::Machine& machine,
                                           const JobFile& file);

// Returns the policy under which that rank starts; MemoryMode::standard: none.
platform::MemoryBinding process_binding(const MemoryPlan& plan, int rank);

}  // namespace baton::launch
