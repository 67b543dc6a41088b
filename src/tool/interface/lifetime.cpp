#include "tool/interface/lifetime.hpp"

#include "base/settings.hpp"
#include "tool/interface/control_variables.hpp"
#include "tool/interface/measurements.hpp"
#include "tool/interface/registrations.hpp"

namespace baton::tool {

void initialize(const ObjectFinder& objects) {
  std::lock_guard begins(interface.lifetime_lock);
  std::lock_guard guard(interface.lock);
  if (interface.references++ > 0) return;
  read_settings_once();
  interface.objects = objects;
}

int finalize() {
  std::lock_guard ends(interface.lifetime_lock);
  {
    std::lock_guard guard(interface.lock);
    if (interface.references == 0) return MPI_T_ERR_NOT_INITIALIZED;
    if (--interface.references > 0) return MPI_SUCCESS;
  }
  free_control_handles();
  free_sessions();
  free_registrations();
  return MPI_SUCCESS;
}

}  // namespace baton::tool
