#include "platform/valgrind.hpp"

#include <cstring>

#include "base/environment.hpp"

namespace baton::platform {

bool runs_under_valgrind() {
  const char* preloaded = environment_variable("LD_PRELOAD");
  return preloaded && std::strstr(preloaded, "vgpreload_");
}

}  // namespace baton::platform
