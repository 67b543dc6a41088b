// What this rank leaves for `mpiexec --memory-report`: on which nodes the pages of its heap and of
// the rest of the process lie, now and at the most. The slices the launcher looks at itself. Called
// by the heap and at a rank's end, in jobs that report only.
#pragma once

#include <cstdint>

namespace baton::transport {

// A block of the heap has come, with all its memory; or is about to go.
void note_block(const char* address, std::uint64_t bytes);
void forget_block(const char* address, std::uint64_t bytes);

// Fills the rank's MemoryRecord.
void publish_memory();

}  // namespace baton::transport
