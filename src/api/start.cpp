// These are the bodies of MPI_Init, MPI_Init_thread and MPI_Finalize.
#include "api/environment.hpp"
#include "collective/check/deadlock.hpp"
#include "collective/check/describe_wait.hpp"
#include "dynamic/parent.hpp"
#include "dynamic/port.hpp"
#include "dynamic/published_name.hpp"
#include "file/file.hpp"
#include "platform/clock.hpp"
#include "tool/timing.hpp"
#include "world/library_state.hpp"
#include "world/process.hpp"

namespace baton::api {

Error init_thread(int*, char***, int required, int* provided) {
  if (world_phase() == LibraryState::Phase::running)
    return fail(MPI_ERR_OTHER, "it was called already; a process initializes MPI once");
  if (world_phase() == LibraryState::Phase::finalized && !library_state.forked)
    return fail(MPI_ERR_OTHER, "MPI was finalized; it cannot be initialized again");
  const std::int64_t began = platform::now_ticks();
  if (Error error = world::start_world(required, provided)) return error;
  collective::watch_waits();
  collective::describe_long_waits();
  tool::begin_timing(began, *provided);
  return dynamic::meet_parents();
}

Error init(int* argc, char*** argv) {
  int provided;
  return init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

Error finalize() {
  if (world_phase() != LibraryState::Phase::running)
    return fail(MPI_ERR_OTHER, "MPI_Init did not start this; sessions end with their own call");
  const std::int64_t asked = platform::now_ticks();
  file::tell_of_open_files();
  dynamic::close_ports();
  dynamic::unpublish_all();
  Error error = world::end_world();
  tool::end_timing(asked);
  return error;
}

}  // namespace baton::api
