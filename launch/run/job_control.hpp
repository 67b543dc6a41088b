// Signals of a terminal's keys, or to mpiexec's process group, do not reach ranks in sessions of
// their own. The manager, which they reach, passes them on here, so that a shell's job control
// holds for the whole job (docs/decisions/sessions.md).
// A rank leads its session and a process group of the same number; processes that it starts are in
// that group.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace baton::launch {

// Shares the list of sessions. It is called before all other functions here, and before the
// processes are started that are to know the sessions. False: there is no shared memory, so each
// process knows only the sessions that it has set.
bool share_sessions(std::size_t ranks);

// This is called before the first rank starts. From here on a stop (Ctrl-Z, reading the terminal in
// the background) stops the ranks' sessions, and SIGCONT continues them. This process itself is not
// stopped: mpiexec may be killed meanwhile.
void follow_stops();
bool is_stopped();

// Sets the process of a rank, which leads a session. 0: it has ended, and its number may be reused.
void set_session(std::size_t rank, pid_t process);
// Removes all sessions, when all ranks have ended.
void forget_sessions();

// Sends a signal to every session's process group.
void signal_sessions(int signal);

}  // namespace baton::launch
