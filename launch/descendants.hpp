// The processes below this one, found through /proc, whatever session or process group they moved
// to. A process that is a subreaper (become_subreaper) also finds those whose parents have died.
#pragma once

#include <sys/types.h>

#include <vector>

namespace baton::launch {

// Orphans below this process become its children.
void become_subreaper();

// All living descendants, parents before their children.
std::vector<pid_t> descendants();

void signal_descendants(int signal);

// Kills and reaps until none is left. Complete for a subreaper: an orphan moves up to it and is
// found in the next round.
void kill_descendants();

}  // namespace baton::launch
