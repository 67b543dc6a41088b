// This writes the library's reports without the signal that a closed pipe raises.
#include "base/report.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace baton {

// SIGPIPE of a write goes to the thread that wrote. It is blocked there, and consumed where none
// was pending before; the program's own handling of it is not changed.
void write_report(const char* text, std::size_t bytes) {
  const int cause = errno;
  sigset_t broken_pipe, before, pending;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  const bool held = ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before) == 0;
  sigemptyset(&pending);
  ::sigpending(&pending);
  ssize_t written;
  do written = ::write(STDERR_FILENO, text, bytes);
  while (written < 0 && errno == EINTR);
  if (held && written < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE)) {
    constexpr timespec now{0, 0};
    while (::sigtimedwait(&broken_pipe, nullptr, &now) < 0 && errno == EINTR)
      ;
  }
  if (held) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = cause;
}

}  // namespace baton
