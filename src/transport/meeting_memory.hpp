// Makes the memory in which processes of several jobs of a node meet (arena_attachment.hpp joins
// it).
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"

namespace baton::transport {

// Makes an arena with a slot for each of these processes, in their order; `*descriptor` is its
// memory file, which the caller closes when all have joined. Error, explained: MPI_ERR_NO_MEM.
[[nodiscard]] Error make_meeting_memory(const ProcessId* processes, std::uint32_t count,
                                        int* descriptor);

}  // namespace baton::transport
