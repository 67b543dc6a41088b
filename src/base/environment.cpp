#include "base/environment.hpp"

#include <cstdlib>

namespace baton {

const char* environment_variable(const char* name) {
  return std::getenv(name);
}

}  // namespace baton
