// How operations reach their targets, in jobs that explain (base/one_sided.hpp): by memory, way and
// operation, and why not by loads and stores. Called where an operation has found its spot.
#pragma once

#include "window/operate.hpp"

namespace baton::window {

BATON_COLD void count_operation(const Window& window, std::int64_t bytes, const Spot& spot,
                                WindowOperation operation);

}  // namespace baton::window
