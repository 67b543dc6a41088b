#include "cli/sibling_read.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "platform/cross_memory.hpp"

namespace baton::cli {

// Reads memory as one rank would read another's, between two children: a parent may read its child
// where siblings may not read each other.
int sibling_read_error() {
  std::uint64_t word = 0x6261746f6e;
  pid_t target = ::fork();
  if (target == 0) {
    ::pause();
    ::_exit(0);
  }
  pid_t reader = target < 0 ? -1 : ::fork();
  if (reader == 0) {
    std::uint64_t copy = 0;
    std::int64_t got = platform::read_process_memory(target, &word, &copy, sizeof copy);
    ::_exit(got == sizeof copy && copy == word ? 0 : errno & 0xff);
  }
  int status = 0;
  bool known = reader > 0 && ::waitpid(reader, &status, 0) == reader && WIFEXITED(status);
  if (target > 0) {
    ::kill(target, SIGKILL);
    ::waitpid(target, nullptr, 0);
  }
  return known ? WEXITSTATUS(status) : EAGAIN;
}

}  // namespace baton::cli
