// What the launcher tells people about the ends of ranks.
#pragma once

#include <string>

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

}  // namespace baton::launch
