// These are the program's own large blocks in the exported heap: where the allocator that `mpiexec
// --export-heap` preloads (preload/) gets its memory. It is called by world/ at start.
#pragma once

#include "platform/node_memory.hpp"

namespace baton::transport {

// Hands that allocator its part of this rank's heap, if the job is to export it. If that cannot be
// done it says why, and the program runs as without.
void export_program_heap();

// Adds the pages that these blocks have now, by NUMA node. Returns false with errno set when the
// kernel refuses to tell.
bool count_program_heap(platform::NodeBytes* counts);

}  // namespace baton::transport
