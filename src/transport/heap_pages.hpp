// The pages of this rank's heap by NUMA node, now and at the most, for `mpiexec --memory-report`:
// the heap notes its blocks, transport/memory_report.hpp tells them. In jobs that report only.
// Invariant: changed under the heap's lock, and read at the rank's end.
#pragma once

#include <cstdint>

#include "platform/node_memory.hpp"

namespace baton::transport {

struct HeapPages {
  platform::NodeBytes now;
  platform::NodeBytes peak;  // of each node for itself
  std::uint64_t peak_total = 0;
  int error = 0;  // of the last count that failed

  // `now` may have grown.
  void note_peak();
};
extern HeapPages heap_pages;

// A block of the heap has come, with all its memory; or is about to go.
void note_block(const char* address, std::uint64_t bytes);
void forget_block(const char* address, std::uint64_t bytes);

}  // namespace baton::transport
