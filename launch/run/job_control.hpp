// Ranks in sessions of their own are out of reach of a terminal's keys and of whoever signals
// mpiexec's process group. Here the manager, which is in reach, passes on to them what it gets, so
// that a shell's job control holds for the whole job (docs/decisions/sessions.md).
// A rank leads its session and a process group of the same number; what it starts is in that group.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace baton::launch {

// Before anything else here, and before the processes are started that are to know the sessions.
// False: there is no memory to share, so each process knows its own alone.
bool share_sessions(std::size_t ranks);

// Before the first rank starts. From here on a stop (Ctrl-Z, reading the terminal in the
// background) stops the ranks' sessions, and SIGCONT continues them. This process itself is not
// stopped: mpiexec may be killed meanwhile.
void follow_stops();
bool is_stopped();

// A rank's process, which leads a session; 0: it has ended, and its number may become another's.
void set_session(std::size_t rank, pid_t process);
// All of them have ended.
void forget_sessions();

// Sends it to every session's group.
void signal_sessions(int signal);

}  // namespace baton::launch
