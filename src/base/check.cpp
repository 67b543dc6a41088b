#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace baton {

void invariant_broken(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "baton: invariant broken: %s (%s:%d). This is a bug in Baton.\n", expression,
               file, line);
  std::abort();
}

}  // namespace baton
