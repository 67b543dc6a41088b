// Tells whether a process lives, of which nobody here is the parent.
#pragma once

namespace baton::platform {

// Returns when a process began, in ticks after boot: with its number this names the process for
// good. 0: it does not run, or has ended and waits for its parent to look.
unsigned long long began_at(int process);

// Returns whether there is a process of this number, by a question that costs little. It may have
// ended, or be another one by now.
bool may_run(int process);

}  // namespace baton::platform
