#include "api/environment.hpp"

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/version.hpp"
#include "tool/timing.hpp"
#include "transport/node.hpp"
#include "world/info.hpp"
#include "world/library_state.hpp"
#include "world/resource.hpp"

namespace baton::api {

Error initialized(int* flag) {
  *flag = world_phase() != LibraryState::Phase::before_init;
  return MPI_SUCCESS;
}

Error finalized(int* flag) {
  *flag = world_phase() == LibraryState::Phase::finalized;
  return MPI_SUCCESS;
}

// Checks that the world model is initialized: sessions have no main thread, and each has a thread
// level of its own.
static Error check_world() {
  if (world_phase() == LibraryState::Phase::running) return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER,
              "it is about the world model, between MPI_Init and MPI_Finalize; "
              "MPI_Session_get_info tells a session's thread_level");
}

Error query_thread(int* provided) {
  if (Error error = check_world()) return error;
  *provided = library_state.thread_level;
  return MPI_SUCCESS;
}

Error is_thread_main(int* flag) {
  if (Error error = check_world()) return error;
  *flag = ::pthread_equal(::pthread_self(), library_state.main_thread) != 0;
  return MPI_SUCCESS;
}

Error get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

Error get_library_version(char* version, int* resultlen) {
  *resultlen = std::snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                             "Baton %s (MPI %d.%d, standard ABI %d.%d)", baton::version,
                             MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
  return MPI_SUCCESS;
}

// Gives the kernel's name of the machine; no resolver is asked, so no network is touched.
Error get_processor_name(char* name, int* resultlen) {
  if (::gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) std::strcpy(name, "localhost");
  name[MPI_MAX_PROCESSOR_NAME - 1] = 0;
  *resultlen = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
}

Error get_hw_resource_info(MPI_Info* handle) {
  Info* info = nullptr;
  if (Error error = create_info(&info)) return error;
  const auto& place = transport::place_of(transport::own_rank());
  for (world::Resource resource : world::resources) {
    bool restricted = world::instance_of(place, resource) >= 0;
    Error error = info->set(world::resource_uri(resource), restricted ? "true" : "false");
    if (!error) continue;
    free_info(*info);
    return error;
  }
  *handle = info->handle;
  return MPI_SUCCESS;
}

// Does nothing. Tools replace it; the library itself has nothing to control.
Error pcontrol(int level) {
  if (level == 0)
    tool::pause_timing();
  else
    tool::resume_timing();
  return MPI_SUCCESS;
}

double wtime() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wtick() {
  timespec step;
  ::clock_getres(CLOCK_MONOTONIC, &step);
  return static_cast<double>(step.tv_sec) + 1e-9 * static_cast<double>(step.tv_nsec);
}

}  // namespace baton::api
