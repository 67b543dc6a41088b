// Placed memory of MPI_Alloc_mem that peers cannot map: where there is no exported heap, or no room
// in it. Called by api/. Invariant: blocks are whole pages, so that none has another's place.
#pragma once

#include <cstddef>

#include "base/error.hpp"
#include "base/memory_place.hpp"

namespace baton::transport {

// As allocate_exported.
[[nodiscard]] Error allocate_private(std::size_t bytes, std::size_t alignment,
                                     const MemoryPlace& place, void** memory);

// False when no such block begins there.
bool release_private(void* address);

}  // namespace baton::transport
