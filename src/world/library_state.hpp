// Where the library stands: it runs while the world model (MPI_Init to MPI_Finalize) or a session
// uses it. Process start and end write it; every entry point reads it. Alone in a header so that
// the argument checks need nothing else of start-up. `timed` is running, in a job whose calls are
// timed: one more value of what entry points ask anyway, so that other jobs pay nothing for it.
#pragma once

#include <mpi.h>
#include <pthread.h>

#include <atomic>

namespace baton {

struct LibraryState {
  enum class Phase : unsigned char { before_init, running, timed, finalized };
  Phase phase = Phase::before_init;
  // The world model alone. Any thread may ask for it at any time, even while another initializes.
  std::atomic<Phase> world = Phase::before_init;
  bool forked = false;  // a child of a rank: it is none, and both phases are finalized
  // What MPI_Init_thread granted, and to whom MPI_Is_thread_main answers yes.
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
// For who has found that it is not simply running.
inline bool library_is_usable() {
  return library_state.phase == LibraryState::Phase::running ||
         library_state.phase == LibraryState::Phase::timed;
}

}  // namespace baton
