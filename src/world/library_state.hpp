// Where the library stands: it runs while the world model (MPI_Init to MPI_Finalize) or a session
// uses it. Process start and end write it; every entry point reads it. Alone in a header so that
// the argument checks need nothing else of start-up.
#pragma once

#include <mpi.h>
#include <pthread.h>

namespace baton {

struct LibraryState {
  enum class Phase : unsigned char { before_init, running, finalized };
  Phase phase = Phase::before_init;
  Phase world = Phase::before_init;  // the world model alone
  bool forked = false;               // a child of a rank: it is none, and both phases are finalized
  // What MPI_Init_thread granted, and to whom MPI_Is_thread_main answers yes.
  int thread_level = MPI_THREAD_SINGLE;
  pthread_t main_thread = {};
};

inline constinit LibraryState library_state;

inline bool library_is_running() {
  return library_state.phase == LibraryState::Phase::running;
}

}  // namespace baton
