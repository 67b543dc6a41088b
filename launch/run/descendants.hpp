// This finds all processes below this one, whatever session or process group they moved to. It
// reads /proc; where that is not mounted, it uses the processes that the caller knows. Orphans come
// up to the nearest subreaper, which this process must be.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace baton::launch {

// Makes orphaned descendants children of this process. It is to be called before anything is
// started.
void become_subreaper();

// Returns the descendants that are alive now, in any order. `known` are children and grandchildren
// that the caller started; those that have ended are left out.
std::vector<pid_t> descendants(std::span<const pid_t> known);

// Sends a signal to all of them.
void signal_descendants(int signal, std::span<const pid_t> known);

// Kills and reaps until none is left, or until those that are left will not go: they belong to
// another user, the kernel cannot interrupt them, or nobody can find them. Returns a text for
// people about these; empty when nothing is left.
std::string kill_descendants(std::span<const pid_t> known);

}  // namespace baton::launch
