#include "cli/installed_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "platform/own_folder.hpp"

namespace baton::cli {

std::string installed_file(const std::string& name) {
  char folder[PATH_MAX];
  if (!platform::own_folder(folder)) return {};
  for (const char* way : {BATON_LIB_FROM_BIN, "../lib", "."}) {
    const std::string path = fmt::format("{}/{}/{}", folder, way, name);
    char* real = ::access(path.c_str(), R_OK) == 0 ? ::realpath(path.c_str(), nullptr) : nullptr;
    if (!real) continue;
    std::string result = real;
    std::free(real);
    return result;
  }
  return {};
}

}  // namespace baton::cli
