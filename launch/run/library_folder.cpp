#include "launch/run/library_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "platform/own_folder.hpp"

namespace baton::launch {

LibraryFolder find_library_folder() {
  char own[PATH_MAX], found[PATH_MAX];
  if (!platform::own_folder(own)) return {};
  for (const char* way : {BATON_LIB_FROM_BIN, "../lib"}) {
    const std::string folder = fmt::format("{}/{}/baton", own, way);
    if (::access((folder + "/libmpi_abi.so.1").c_str(), R_OK) != 0) continue;
    if (!::realpath(folder.c_str(), found)) continue;
    // The loader would take these characters for the end of a folder, or for a word such as
    // $ORIGIN.
    if (!std::strpbrk(found, ":;$")) return {found, {}};
    return {{},
            fmt::format("programs that were linked against another libmpi_abi.so.1 will load that "
                        "one: {} cannot stand in LD_LIBRARY_PATH, since its path has one of the "
                        "characters : ; $. Install Baton elsewhere",
                        found)};
  }
  return {};
}

}  // namespace baton::launch
