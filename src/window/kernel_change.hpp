// Changes of elements in memory that only the kernel can copy: this rank reads them, changes its
// copy and writes that back, under the lock for elements at the target. They are used where the
// target does not help (kernel_reach.cpp, stream.cpp).
#pragma once

#include "window/reach.hpp"

namespace baton::window {

[[nodiscard]] Error change_by_kernel(Window& window, const Spot& spot, const Accumulate& what);

}  // namespace baton::window
