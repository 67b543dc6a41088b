// `baton lab` finds the studies, which are Python, and becomes python3.

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "platform/own_folder.hpp"

namespace baton::cli {

namespace {

int fail(const std::string& text) {
  write_error("baton lab: {}\n", text);
  return 1;
}

}  // namespace

int run_lab(char** words) {
  char own[PATH_MAX];
  if (!platform::own_folder(own))
    return fail(fmt::format("cannot find myself in /proc: {}", std::strerror(errno)));
  const std::string folder = own;
  const std::string lab = folder + "/" BATON_LAB_FROM_BIN;
  if (::access((lab + "/__main__.py").c_str(), R_OK) != 0)
    return fail(fmt::format(
        "{}/__main__.py: {}; it belongs to an installed Baton: install again with cmake --install",
        lab, std::strerror(errno)));
  std::vector<std::string> all{"python3", lab, "--programs", folder,
                               folder + "/" BATON_MEASURE_FROM_BIN};
  while (*words) all.emplace_back(*words++);
  std::vector<char*> pointers;
  for (std::string& word : all) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp("python3", pointers.data());
  return fail(errno == ENOENT ? "there is no python3 on PATH; install Python 3.11 or newer (on "
                                "Debian: apt-get install python3)"
                              : fmt::format("cannot start python3: {}", std::strerror(errno)));
}

}  // namespace baton::cli
