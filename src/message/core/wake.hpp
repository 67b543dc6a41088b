// Waking the threads of this process that wait: the one that leads sleeps on the rank's doorbell,
// the others, its followers, on a word of their own.
#pragma once

#include <cstdint>

#include "message/core/engine.hpp"

namespace baton::message {

// Something completed or is to be done, or the progress lock is free: wakes the threads of this
// process that sleep.
void wake_waiters();

// Something completed. Who makes progress wakes the others once a round, all else at once.
void announce_completion();
// The state of the thread that makes progress, while it does.
struct Leading {
  bool now;
  bool completed;  // something, since the others were last woken
};
extern __attribute__((tls_model("initial-exec"))) constinit thread_local Leading leading;
inline void wake_for_completions() {
  if (!leading.completed) return;
  leading.completed = false;
  wake_waiters();
}

// --- a follower's sleep. It announces itself, looks once more for what it waits for, sleeps while
// nothing has happened since, and takes the announcement back.
std::uint32_t announce_follower();
void sleep_as_follower(std::uint32_t seen);
void retract_follower();

}  // namespace baton::message
