// Counts how operations reach their targets, in jobs that explain and for tools that watch a window
// (base/one_sided.hpp): by memory, way and operation, and why not by loads and stores. This is
// called where an operation has found its spot; the provider's reach counts its puts and gets
// itself, once it knows who carries them out.
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

// Counts for a tool from now on, and no longer. Any thread, one at a time. Null without memory.
WindowCounts* watch(Window& window);
void unwatch(Window& window);
// Returns whether the window's locks that had to be waited for are counted or told.
bool tells_lock_waits(const Window& window);
// Counts and tells a lock that this rank has waited for.
BATON_COLD void note_lock_wait(const Window& window, const Target& target, bool exclusive,
                               std::int64_t waited_ns);
// Returns whether operations find their spots on the cold path, as the window is now.
bool must_be_special(const Window& window);

}  // namespace baton::window
