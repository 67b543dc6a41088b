#include "world/portability.hpp"

#include <cstdio>
#include <mutex>

#include "base/settings.hpp"
#include "world/error_handler.hpp"

namespace baton {

void note_not_portable(const char* what) {
  if (!settings.check) return;
  // As many as docs/from-another-mpi.md has, and some more.
  static const char* noted[32];
  static std::mutex lock;
  std::lock_guard guard(lock);
  for (const char*& known : noted) {
    if (known == what) return;
    if (known) continue;
    known = what;
    char text[256];
    std::snprintf(text, sizeof text,
                  "not portable: %s; other libraries may refuse it (said once; "
                  "docs/from-another-mpi.md)",
                  what);
    return print_message(text);
  }
}

}  // namespace baton
