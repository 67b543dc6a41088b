// Deaths in a job that goes on without the dead, and whose ranks another launcher has started: they
// write into the job's memory what mpiexec writes elsewhere.
#pragma once

#include "transport/node.hpp"

namespace baton::transport {

// Writes that a process of the job has died, whose node may be another one, for all ranks of this
// node. Returns whether that is news. Any thread may call it.
bool write_death(Process process);
// Returns whether one of another node has died, as far as anybody here has been told.
bool has_died_elsewhere(Process process);
// Makes this process look, if it sleeps. Any thread may call it.
void wake_own_sleeper();

}  // namespace baton::transport
