// This is the state of the library: it runs while the world model (MPI_Init to MPI_Finalize) or a
// session uses it. Process start and end write it; every entry point reads it. It has a header of
// its own so that the argument checks need nothing else of start-up. `timed` means running, in a
// job whose calls are timed: it is one more value of a variable that entry points read anyway, so
// that other jobs pay nothing for it.
#pragma once

#include <mpi.h>
#include <pthread.h>

#include <atomic>

namespace baton {

struct LibraryState {
  enum class Phase : unsigned char { before_init, running, timed, finalized };
  Phase phase = Phase::before_init;
  // This is the phase of the world model alone. Any thread may ask for it at any time, even while
  // another initializes.
  std::atomic<Phase> world = Phase::before_init;
  bool forked = false;  // in a child of a rank, which is no rank: both phases are finalized
  // This is the level that MPI_Init_thread granted; and the thread for which MPI_Is_thread_main is
  // true.
  int thread_level = MPI_THREAD_SINGLE;
  pthread_t main_thread = {};
};

inline constinit LibraryState library_state;

inline LibraryState::Phase world_phase() {
  // ORDER state.world: acquire here, release in set_world_phase; who sees MPI initialized may use
  // it.
  return library_state.world.load(std::memory_order_acquire);
}
inline void set_world_phase(LibraryState::Phase phase) {
  // ORDER state.world: release here, acquire in world_phase.
  library_state.world.store(phase, std::memory_order_release);
}

inline bool library_is_running() {
  return library_state.phase == LibraryState::Phase::running;
}
// Returns whether the library may be used, for callers that have found that it is not simply
// running.
inline bool library_is_usable() {
  return library_state.phase == LibraryState::Phase::running ||
         library_state.phase == LibraryState::Phase::timed;
}

}  // namespace baton
