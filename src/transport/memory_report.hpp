// What this rank leaves for `mpiexec --memory-report`: on which nodes the pages of its heap and of
// the rest of the process lie, now and at the most. The slices the launcher looks at itself. Called
// at a rank's end, in jobs that report only.
#pragma once

namespace baton::transport {

// Fills the rank's MemoryRecord.
void publish_memory();

}  // namespace baton::transport
