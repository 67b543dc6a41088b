// This is memory of MPI_Alloc_mem under a NUMA policy that peers cannot map: where there is no
// exported heap, or no space in it. It is called by world/. Invariant: blocks are whole pages, so
// that each can have its own policy.
#pragma once

#include <cstddef>

#include "base/error.hpp"
#include "base/numa_policy.hpp"

namespace baton::transport {

// Allocates as allocate_exported does (heap.hpp).
[[nodiscard]] Error allocate_private(std::size_t bytes, std::size_t alignment,
                                     const NumaPolicy& policy, void** memory);

// Returns false when no such block begins there.
bool release_private(void* address);

}  // namespace baton::transport
