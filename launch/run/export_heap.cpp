#include "launch/run/export_heap.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/own_folder.hpp"

namespace baton::launch {

std::expected<std::string, std::string> find_preload() {
  char folder[PATH_MAX];
  if (!platform::own_folder(folder))
    return std::unexpected(
        fmt::format("--export-heap: cannot find myself in /proc: {}", std::strerror(errno)));
  for (const char* way : {BATON_LIB_FROM_BIN, "../lib"}) {
    std::string found = fmt::format("{}/{}/libbaton_malloc.so", folder, way);
    if (::access(found.c_str(), R_OK) != 0) continue;
    // The loader ends a name at a space or a colon, so such a path cannot be used.
    if (found.find_first_of(" :") == std::string::npos) return found;
    return std::unexpected(fmt::format(
        "--export-heap: {} cannot be preloaded, since its path has a space or a colon; install "
        "Baton elsewhere",
        found));
  }
  return std::unexpected(fmt::format(
      "--export-heap: there is no libbaton_malloc.so in {}/../lib: this Baton was built without "
      "jemalloc; install it (on Debian: apt-get install libjemalloc-dev) and build again",
      folder));
}

}  // namespace baton::launch
