// These are long operations on memory that only the kernel can copy. Where the target is in MPI
// (delegate.hpp) their data may go through a staging buffer that both ranks reach, filled by one and
// emptied by the other, as long messages do: two CPUs, no system call. Otherwise the kernel moves
// it. Measurements decide which is quicker between two ranks. The operations call this; the
// target's side is in window/stream_side.hpp.
#pragma once

#include "window/kernel_copy.hpp"

namespace baton::window {

// Moves one run of bytes that is contiguous at both ends.
[[nodiscard]] Error move_long_run(Direction direction, Window& window, const Spot& spot, char* here,
                                  std::int64_t bytes);
// Accumulates one run of elements, of which no result is wanted.
[[nodiscard]] Error accumulate_long_run(Window& window, const Spot& spot, const Accumulate& what);

}  // namespace baton::window
