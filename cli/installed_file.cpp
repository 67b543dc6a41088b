#include "cli/installed_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>

#include "platform/own_folder.hpp"

namespace baton::cli {

namespace {

// Returns the first file that exists. The paths in `ways` begin in the tool's folder.
std::string first_of(std::initializer_list<const char*> ways, const std::string& name) {
  char folder[PATH_MAX];
  if (!platform::own_folder(folder)) return {};
  for (const char* way : ways) {
    const std::string path = fmt::format("{}/{}/{}", folder, way, name);
    char* real = ::access(path.c_str(), R_OK) == 0 ? ::realpath(path.c_str(), nullptr) : nullptr;
    if (!real) continue;
    std::string result = real;
    std::free(real);
    return result;
  }
  return {};
}

}  // namespace

std::string installed_file(const std::string& name) {
  return first_of({BATON_LIB_FROM_BIN, "../lib", "."}, name);
}

std::string documents_folder() {
  return first_of({BATON_DOC_FROM_BIN, "../share/doc/baton", "../.."}, "docs");
}

}  // namespace baton::cli
