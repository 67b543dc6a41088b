#include "transport/network/library.hpp"

#include <dlfcn.h>

#include "base/environment.hpp"
#include "platform/signal_handlers.hpp"

namespace baton::transport::network {

namespace {

template <class Function>
bool find(void* file, const char* name, const char* version, Function& function) {
  function = reinterpret_cast<Function>(::dlvsym(file, name, version));
  return function != nullptr;
}

bool find_all(void* file, Library& library) {
  return find(file, "fi_getinfo", "FABRIC_1.3", library.getinfo) &&
         find(file, "fi_freeinfo", "FABRIC_1.3", library.freeinfo) &&
         find(file, "fi_dupinfo", "FABRIC_1.3", library.dupinfo) &&
         find(file, "fi_fabric", "FABRIC_1.1", library.fabric) &&
         find(file, "fi_strerror", "FABRIC_1.0", library.strerror) &&
         find(file, "fi_version", "FABRIC_1.0", library.version);
}

}  // namespace

Error Library::open() {
  if (version) return MPI_SUCCESS;
  const char* chosen = environment_variable("BATON_LIBFABRIC");
  const char* name = chosen && *chosen ? chosen : "libfabric.so.1";
  // Debian's libfabric loads libpsm2, which would catch crashes and leave a file of its own.
  const platform::KeptSignalHandlers kept;
  void* file = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!file)
    return fail(MPI_ERR_OTHER,
                "this job spans nodes, and libfabric cannot be opened: %s; install it (Debian and "
                "Ubuntu: libfabric1), or name its file in BATON_LIBFABRIC",
                ::dlerror());
  if (find_all(file, *this)) return MPI_SUCCESS;
  version = nullptr;
  return fail(MPI_ERR_OTHER,
              "%s is no libfabric of version 1.17 or later; install a newer one, or name its "
              "file in BATON_LIBFABRIC",
              name);
}

}  // namespace baton::transport::network
