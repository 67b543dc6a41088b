#include "launch/run/write_text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace baton::launch {

namespace {

constexpr int look_again_ms = 20;  // guess: how often to ask whether to give up

}  // namespace

bool write_text(int descriptor, std::string_view text, const std::function<bool()>& give_up) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    if (written >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    if (give_up && give_up()) {
      errno = EAGAIN;
      return false;
    }
    pollfd space{descriptor, POLLOUT, 0};
    ::poll(&space, 1, give_up ? look_again_ms : -1);
  }
  return true;
}

std::expected<int, std::string> open_to_write(const std::string& name, int how) {
  const int file =
      ::open(name.c_str(), how | O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
  if (file >= 0) return file;
  const int cause = errno;
  struct stat facts {};
  if (cause == ENXIO && ::stat(name.c_str(), &facts) == 0 && S_ISFIFO(facts.st_mode))
    return std::unexpected("nobody reads this pipe; start its reader first, or name a file");
  return std::unexpected(std::strerror(cause));
}

}  // namespace baton::launch
