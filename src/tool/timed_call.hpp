// An entry point asks this before it goes to its timed form (timing.hpp). It is a header of its
// own, inline and without a call, so that jobs that are not timed save no register for it: it is
// asked only where the library is not simply running (world/library_state.hpp).
#pragma once

#include <atomic>

#include "base/cache_line.hpp"
#include "world/library_state.hpp"

namespace baton::tool {

extern constinit std::atomic<bool> timing_paused;
// This thread is in a timed call; calls made from within it belong to that call.
extern __attribute__((tls_model("initial-exec"))) constinit thread_local bool in_timed_call;

// Returns whether a call that this thread begins now is to be timed.
BATON_INLINE bool is_to_be_timed() {
  // relaxed: calls of other threads than the one that pauses are timed or not, as it happens.
  return library_state.phase == LibraryState::Phase::timed && !in_timed_call &&
         !timing_paused.load(std::memory_order_relaxed);
}

}  // namespace baton::tool
