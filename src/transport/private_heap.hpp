// This is memory of MPI_Alloc_mem under a NUMA policy that peers cannot map: where there is no
// exported heap, or no space in it. It is called by world/. Invariant: blocks are whole pages, so
// that each can have its own policy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "base/numa_policy.hpp"
#include "platform/lock.hpp"

namespace baton::transport {

class PrivateHeap {
 public:
  // Allocates as ExportedHeap::allocate does (heap.hpp).
  [[nodiscard]] Error allocate(std::size_t bytes, std::size_t alignment, const NumaPolicy& policy,
                               void** memory);
  // Frees the block that begins at an address. Returns false when none begins there.
  bool release(void* address);

 private:
  struct Block {
    Block* next;
    char* address;
    std::uint64_t bytes;
  };
  Block* blocks_ = nullptr;  // changed under the lock
  platform::Lock lock_;
};

extern PrivateHeap private_heap;

}  // namespace baton::transport
