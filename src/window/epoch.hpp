// What all synchronizations of a window have in common: which epoch is open, and what an end of one
// sees to. Used by synchronize.cpp and lock.cpp.
#pragma once

#include "message/core/progress.hpp"
#include "window/batch.hpp"
#include "window/remote.hpp"

namespace baton::window {

// MPI_ERR_RMA_SYNC: what the caller wants does not fit; or another epoch must end first.
BATON_COLD Error wrong_epoch(const char* what);
BATON_COLD Error refuse(Epoch open);
BATON_COLD Error refuse_assertion(int assertion, int allowed);

inline Error check_assertion(int assertion, int allowed) {
  return BATON_LIKELY(!(assertion & ~allowed)) ? MPI_SUCCESS : refuse_assertion(assertion, allowed);
}

// A fence opens an epoch only where operations follow it.
inline bool is_free(const Window& window) {
  return window.epoch == Epoch::none || (window.epoch == Epoch::fence && !window.all_open);
}

inline void note_first(Error& error, Error next) {
  if (!error) error = next;
}

// What we stored is there before anything that we do next, loads included.
inline void settle(Window& window) {
  // With threads, another may have taken note of what this one has stored.
  if (!platform::load_shared(window.dirty) && !platform::threads_multiple) return;
  lockfree::Hardware::full_fence();
  // relaxed: other threads do not look.
  std::atomic_ref(window.dirty).store(false, std::memory_order_relaxed);
}

// Until all operations that this rank has begun at the target are done.
inline Error finish_at(Window& window, Target& target) {
  Error error = finish_batch(window);
  if (BATON_UNLIKELY(platform::load_shared(window.sends)))
    note_first(error, flush_remotely(window, target));
  return error;
}

// A program that calls nothing but this, again and again, awaits what others do to its memory.
inline void serve(const Window& window) {
  if (BATON_UNLIKELY(window.serves)) (void)message::progress();
}

}  // namespace baton::window
