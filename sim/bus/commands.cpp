#include "sim/bus/commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace baton::bus {

void add_output_options(CLI::App& command, Output& output) {
  command.add_option("--out", output.path, "file to write (standard output)")->type_name("FILE");
  command.add_flag("--quiet", output.quiet, "no progress on standard error");
}

bool write(const Output& output, const Json& report) {
  std::string text = report.dump() + "\n";
  if (output.path.empty()) {
    bool good = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (std::fflush(stdout) != 0 || !good) {
      fail(fmt::format("standard output: {}; give --out FILE", std::strerror(errno)));
      return false;
    }
    return true;
  }
  std::string unfinished = output.path + ".unfinished";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  bool good = file.good();
  file.close();
  if (good && std::rename(unfinished.c_str(), output.path.c_str()) == 0) return true;
  fail(fmt::format("--out {}: {}; give a file in a folder that is there and may be written",
                   output.path, std::strerror(errno)));
  ::unlink(unfinished.c_str());
  return false;
}

int fail(const std::string& text) {
  fmt::print(stderr, "baton-bus: {}\n", text);
  return 1;
}

}  // namespace baton::bus
