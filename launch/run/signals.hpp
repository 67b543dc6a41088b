// This says which signals mpiexec and its manager heed, and their meaning for the job.
#pragma once

#include <signal.h>

namespace baton::launch {

// Returns SIGCHLD, the signals that are passed on to ranks, and those that end the job; less
// SIGHUP, SIGINT and SIGQUIT where this process was started with them ignored (nohup, background
// jobs of scripts), since a blocked signal would be seen all the same. Both processes block the set
// and wait for it.
sigset_t heeded_signals();

// Returns whether the signal ends the job. SIGQUIT does when a terminal sends it to all (`code`, of
// siginfo, is SI_KERNEL); from elsewhere it asks where the ranks are.
bool ends_the_job(int signal, int code);

}  // namespace baton::launch
