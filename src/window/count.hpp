// Counts how operations reach their targets, in jobs that explain (base/one_sided.hpp): by memory,
// way and operation, and why not by loads and stores. This is called where an operation has found
// its spot; the provider's reach counts its puts and gets itself, once it knows who carries them
// out.
#pragma once

#include "base/one_sided.hpp"
#include "window/place.hpp"

namespace baton::window {

// Counts a way that an operation goes, and the reason.
BATON_COLD void count_way(const Window& window, std::int64_t bytes, ReachWay way,
                          ReachReason reason, WindowOperation operation);
BATON_COLD void count_special(const Window& window, std::int64_t bytes, const Spot& spot,
                              WindowOperation operation);
inline void count_operation(const Window& window, std::int64_t bytes, const Spot& spot,
                            WindowOperation operation) {
  if (BATON_UNLIKELY(window.is_special)) count_special(window, bytes, spot, operation);
}

}  // namespace baton::window
