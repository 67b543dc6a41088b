// A rank may be several programs, one after the other: a script that runs MPI programs. The next
// one begins when all ranks have left the one before, finalized and ended, with memory as new. This
// is called when a process attaches to the arena (arena_attachment.cpp). Invariant: a rank is one
// process at a time; nobody touches the memory while it is made new.
#pragma once

#include "base/error.hpp"
#include "base/identity.hpp"
#include "lockfree/job.hpp"

namespace baton::transport {

// Makes this process the rank, and waits until the memory is new for its program. Explains a
// failure: another process is the rank, or was the rank and did not finalize.
[[nodiscard]] Error become_rank(lockfree::JobHeader* job, int descriptor, LocalRank rank);

}  // namespace baton::transport
