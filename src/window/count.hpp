// Counts how operations reach their targets, in jobs that explain (base/one_sided.hpp): by memory,
// way and operation, and why not by loads and stores. This is called where an operation has found
// its spot; puts and gets between nodes are counted once it is known who carries them out.
#pragma once

#include "base/one_sided.hpp"
#include "window/place.hpp"

namespace baton::window {

BATON_COLD void count_operation(const Window& window, std::int64_t bytes, const Spot& spot,
                                WindowOperation operation);
// Counts puts and gets between nodes, by whether the network's provider carries them out alone.
BATON_COLD void count_remote(const Window& window, const Spot& spot, const Data& data,
                             const Place& place, WindowOperation operation, bool by_provider);

}  // namespace baton::window
