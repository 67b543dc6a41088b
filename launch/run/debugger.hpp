// Parallel debuggers and tools look for these names in mpiexec: the MPIR process acquisition
// interface. A debugger finds the names by symbol and reads the table out of this process, either
// when it has stopped at MPIR_Breakpoint or when it attaches later. The process that people see
// (main.cpp) writes the table.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

// These symbols have default visibility, since a linker may make hidden ones local.
#pragma GCC visibility push(default)
extern "C" {

struct MPIR_PROCDESC {
  char* host_name;
  char* executable_name;
  int pid;
};
// This is indexed by rank; it is complete before MPIR_debug_state says so.
extern MPIR_PROCDESC* MPIR_proctable;
extern int MPIR_proctable_size;
extern int MPIR_debug_state;
extern char* MPIR_debug_abort_string;
// The debugger that starts mpiexec sets this.
extern int MPIR_being_debugged;
// Nobody reads these; their existence tells a debugger that no rank runs in this process, and that
// it may attach to some ranks only.
extern int MPIR_i_am_starter;
extern int MPIR_partial_attach_ok;
// Debuggers set a breakpoint here.
void MPIR_Breakpoint();
}
#pragma GCC visibility pop

namespace baton::launch {

// Returns whether a debugger started us: the ranks then wait in MPI_Init until it has seen them.
bool started_by_debugger();

// Publishes the ranks and stops for a debugger that wants to attach to them.
void show_ranks(std::span<const pid_t> processes);

// Tells a debugger that the job is being ended, and why.
void show_failure(const std::string& text);

}  // namespace baton::launch
