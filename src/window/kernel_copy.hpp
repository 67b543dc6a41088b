// Copies by the kernel between memory of this rank and a spot that is not mapped, and changes of
// elements there. They are used by the kernel's reach, and by the code for short (batch.hpp) and
// long (stream.hpp) operations. Errors: MPI_ERR_RMA_RANGE, MPI_ERR_PROC_ABORTED,
// MPI_ERR_UNSUPPORTED_OPERATION, explained.
#pragma once

#include "platform/cross_memory.hpp"
#include "window/reach.hpp"

namespace baton::window {

enum class Direction : std::uint8_t { put, get };

// Copies one range, or several together.
Error copy_spot(Direction direction, const Window& window, const Spot& spot, std::uint64_t address,
                void* here, std::int64_t bytes);
Error copy_spot(Direction direction, const Window& window, const Spot& spot,
                const platform::ProcessRuns& runs, void* here);

// Changes elements of the target without its help: reads them, changes the copy and writes that
// back, under the lock for elements at the target.
[[nodiscard]] Error change_by_kernel(Window& window, const Spot& spot, const Accumulate& what);

}  // namespace baton::window
