// The library's own thread, which makes progress while the program computes (setting
// progress_thread). It leads only while the program is not in MPI: whoever waits there tells it,
// and it lets go. Without work it rests; while only peers can go on it watches: it sleeps on the
// rank's doorbell without the progress lock. Invariant: the wake word's "asleep" is the thread's
// while it watches, and the leader's otherwise.
#pragma once

#include "base/error.hpp"

namespace baton::message {

// The library is in a mode for threads before it starts. Once for each time that messaging begins
// and ends.
Error start_progress_thread();
void stop_progress_thread();
// In a child of this process, which has no such thread.
void forget_progress_thread();

}  // namespace baton::message
