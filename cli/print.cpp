#include "cli/print.hpp"

#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>

namespace baton::cli {

void hold_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of the write
  for (int stream = 0; stream <= 2; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

int end_of_output(int code) {
  std::cout.flush();  // CLI11 writes there
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout) return code;
  write_error("baton: standard output could not be written{}{}\n", errno ? ": " : "",
              errno ? std::strerror(errno) : "");
  return code ? code : 1;
}

}  // namespace baton::cli
