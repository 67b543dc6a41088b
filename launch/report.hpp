// What the launcher tells people: why a job failed, and (--explain) what its messages did.
#pragma once

#include <string>

#include "launch/job_file.hpp"
#include "machine/placement.hpp"

namespace baton::launch {

// Prints "mpiexec: TEXT" on standard error.
void complain(const std::string& text);

// "rank 3 on core 5", or "rank 3" when it was not bound to one core.
std::string rank_text(int rank, const machine::Placement& placement);

// How a process ended, as waitpid tells it: "segmentation fault (signal 11)", "exit code 7".
std::string ending_text(int wait_status);

// 128+n for signals.
int ending_code(int wait_status);

// Where the ranks ran and which way their messages took, from the ranks' own counters.
std::string explanation(const JobFile& job, const machine::Machine& machine,
                        const machine::Placement& placement);

}  // namespace baton::launch
