// Copies by the kernel between memory of this rank and a spot that is not mapped. They are used by
// the operations, and by the code for short (batch.hpp) and long (stream.hpp) ones. Errors:
// MPI_ERR_RMA_RANGE, MPI_ERR_PROC_ABORTED, MPI_ERR_UNSUPPORTED_OPERATION, explained.
#pragma once

#include "platform/cross_memory.hpp"
#include "window/place.hpp"

namespace baton::window {

// Reads one piece, or several together.
Error read_spot(Window& window, const Spot& spot, std::uint64_t address, void* to,
                std::int64_t bytes);
Error write_spot(Window& window, const Spot& spot, std::uint64_t address, const void* from,
                 std::int64_t bytes);
Error read_spot(Window& window, const Spot& spot, const platform::ProcessRuns& runs, void* to);
Error write_spot(Window& window, const Spot& spot, const platform::ProcessRuns& runs,
                 const void* from);

}  // namespace baton::window
