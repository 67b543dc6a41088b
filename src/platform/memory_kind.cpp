#include "platform/memory_kind.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "base/environment.hpp"
#include "base/report.hpp"

namespace baton::platform {

constinit MemoryKinds memory_kinds;

Error MemoryKinds::open() {
  const char* file = environment_variable("BATON_MEMORY_KIND");
  if (foreign_ || !file || !*file) return MPI_SUCCESS;
  void* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(MPI_ERR_OTHER,
                "BATON_MEMORY_KIND names a plug-in that cannot be opened: %s; unset it, or name "
                "another file",
                ::dlerror());
  auto* kind = static_cast<const BatonMemoryKind*>(::dlsym(library, "baton_memory_kind"));
  if (!kind || kind->version != baton_memory_kind_version || !kind->contains || !kind->copy)
    return fail(MPI_ERR_OTHER,
                "%s (BATON_MEMORY_KIND) describes no kind of memory of version %d; build it with "
                "memory_kind.h of this Baton",
                file, int{baton_memory_kind_version});
  foreign_ = kind;
  return MPI_SUCCESS;
}

void copy_foreign(const BatonMemoryKind& kind, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const char* why = kind.copy(to, from, bytes);
  if (BATON_LIKELY(!why)) return;
  report("copying %zu bytes of memory of the kind \"%s\" from %p to %p failed: %s", bytes,
         kind.name, from, to, why);
  std::abort();
}

}  // namespace baton::platform
