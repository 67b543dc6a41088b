// This rank's record for `mpiexec --memory-report`: on which NUMA nodes the pages of its heap and
// of the rest of the process lie, now and at the most. The launcher itself looks at the slices. It
// is called at a rank's end, only in jobs that report.
#pragma once

namespace baton::transport {

// Fills the rank's MemoryRecord.
void publish_memory();

}  // namespace baton::transport
