// Counts the pages of this rank's heap by NUMA node, now and at the most, for `mpiexec
// --memory-report`: the heap notes its blocks here, and transport/memory_report.hpp publishes the
// counts. It is used only in jobs that report.
// Invariant: the counts are changed under the heap's lock, and read at the rank's end.
#pragma once

#include <cstdint>

#include "platform/node_memory.hpp"

namespace baton::transport {

struct HeapPages {
  platform::NodeBytes now;
  platform::NodeBytes peak;  // of each node by itself
  std::uint64_t peak_total = 0;
  int error = 0;  // errno of the last count that failed

  // Updates `peak`, after `now` may have grown.
  void note_peak();
};
extern HeapPages heap_pages;

// These note that the heap has a new block with all its memory, or that a block is about to be
// freed.
void note_block(const char* address, std::uint64_t bytes);
void forget_block(const char* address, std::uint64_t bytes);

}  // namespace baton::transport
