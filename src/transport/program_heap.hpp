// These are the program's own large blocks in the exported heap: where the allocator that `mpiexec
// --export-heap` preloads (preload/) gets its memory. It is called by world/ at start.
#pragma once

#include "base/error.hpp"
#include "base/numa_policy.hpp"
#include "platform/node_memory.hpp"
#include "platform/program_heap.hpp"

namespace baton::transport {

class ProgramHeap {
 public:
  // Hands that allocator its part of this rank's heap, if the job is to export it. If that cannot
  // be done it says why, and the program runs as without.
  void export_it();
  // Adds the pages that these blocks have now, by NUMA node. Returns false with errno set when the
  // kernel refuses to tell.
  bool count(platform::NodeBytes* counts) const;

 private:
  bool place(char* address, std::uint64_t bytes);

  platform::ProgramHeap part_{};  // the allocator keeps its address
  NumaPolicy policy_;
};

extern ProgramHeap program_heap;

}  // namespace baton::transport
