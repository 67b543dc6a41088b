// These warnings say what this kernel would do to a job's plan for memory. This is pure: plan and
// the kernel's rules in, sentences out; `mpiexec` prints them before it starts ranks, also with
// --dry-run.
#pragma once

#include <string>
#include <vector>

#include "launch/run/memory.hpp"
#include "machine/kernel.hpp"

namespace baton::launch {

// `huge_granted` says that memory files can have huge pages here when somebody asks for them; this
// is tried where the user asked for huge pages.
std::vector<std::string> memory_warnings(const MemoryPlan& plan, const machine::Machine& machine,
                                         const machine::Placement& placement,
                                         const machine::KernelRules& kernel, bool huge_granted);

}  // namespace baton::launch
