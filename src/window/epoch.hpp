// These are the parts that all synchronizations of a window have in common: which epoch is open,
// and what is done at the end of one. They are used by synchronize.cpp and lock.cpp.
#pragma once

#include "message/core/progress.hpp"
#include "window/batch.hpp"
#include "window/remote.hpp"

namespace baton::window {

// Gives MPI_ERR_RMA_SYNC: the call does not fit the epoch that is open, or another epoch must end
// first.
BATON_COLD Error wrong_epoch(const char* what);
BATON_COLD Error refuse(Epoch open);
BATON_COLD Error refuse_assertion(int assertion, int allowed);

inline Error check_assertion(int assertion, int allowed) {
  return BATON_LIKELY(!(assertion & ~allowed)) ? MPI_SUCCESS : refuse_assertion(assertion, allowed);
}

// Returns whether no epoch is in the way: a fence opens one only where operations follow it.
inline bool is_free(const Window& window) {
  return window.epoch == Epoch::none || (window.epoch == Epoch::fence && !window.all_open);
}

inline void note_first(Error& error, Error next) {
  if (!error) error = next;
}

// Completes this rank's stores before anything that it does next, loads included.
inline void settle(Window& window) {
  // With threads, another thread may have noted the stores of this one.
  if (!platform::load_shared(window.dirty) && !platform::threads_multiple) return;
  lockfree::Hardware::full_fence();
  // relaxed: other threads do not look at it.
  std::atomic_ref(window.dirty).store(false, std::memory_order_relaxed);
}

// Waits until all operations that this rank has begun at the target are done.
inline Error finish_at(Window& window, Target& target) {
  const Reach* reach = known_reach(target);
  const bool is_over = BATON_LIKELY(reach == &mapped_reach || !reach);
  Error error = is_over ? MPI_SUCCESS : reach->flush(window, target);
  if (BATON_UNLIKELY(platform::load_shared(target.has_foreign)))
    note_first(error, message_reach.flush(window, target));
  return error;
}

// Makes progress, for a program that calls nothing else again and again while it awaits what others
// do to its memory.
inline void serve(const Window& window) {
  if (BATON_UNLIKELY(window.serves)) (void)message::progress();
}

}  // namespace baton::window
