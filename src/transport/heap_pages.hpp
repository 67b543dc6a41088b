// Counts the pages of this rank's heap by NUMA node, now and at the most, for `mpiexec
// --memory-report`: the heap adds its blocks here, and transport/memory_report.hpp publishes the
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

  // These count a new block with all its memory, and a block that is about to be freed.
  void add(const char* address, std::uint64_t bytes);
  void subtract(const char* address, std::uint64_t bytes);
  // Updates `peak`, after `now` may have grown.
  void note_peak();

 private:
  platform::NodeBytes look_at(const char* address, std::uint64_t bytes);
};

}  // namespace baton::transport
