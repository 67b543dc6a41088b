#include "platform/lifeline.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "platform/memory_file.hpp"

namespace baton::platform {

bool die_with_pipe(int descriptor) {
  // This opens the file anew: owner and signal are properties of the open file, which ranks would
  // share.
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  int own = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (own < 0) return false;
  close(descriptor);
  own = move_to_high_number(own);
  if (fcntl(own, F_SETOWN, getpid()) != 0 || fcntl(own, F_SETSIG, SIGKILL) != 0 ||
      fcntl(own, F_SETFL, O_ASYNC | O_NONBLOCK) != 0)
    return false;
  // The pipe may have closed before we asked for the signal.
  pollfd state{own, POLLIN, 0};
  if (poll(&state, 1, 0) > 0 && (state.revents & POLLHUP)) raise(SIGKILL);
  return true;
}

}  // namespace baton::platform
