#include "cli/print.hpp"

#include <cerrno>
#include <cstring>
#include <iostream>

namespace baton::cli {

int end_of_output(int code) {
  std::cout.flush();  // CLI11 writes there
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout) return code;
  write_error("baton: standard output could not be written{}{}\n", errno ? ": " : "",
              errno ? std::strerror(errno) : "");
  return code ? code : 1;
}

}  // namespace baton::cli
