#include "base/check.hpp"

#include <cstdlib>

#include "base/report.hpp"

namespace baton {

void invariant_broken(const char* expression, const char* file, int line) {
  report("invariant broken: %s (%s:%d). This is a bug in Baton.", expression, file, line);
  std::abort();
}

}  // namespace baton
