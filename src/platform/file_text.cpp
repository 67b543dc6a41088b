#include "platform/file_text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace baton::platform {

std::optional<std::string> file_text(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  char part[4096];
  ssize_t got;
  while ((got = read(file, part, sizeof part)) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
  const int cause = errno;
  close(file);
  errno = cause;
  if (got < 0) return std::nullopt;
  return text;
}

}  // namespace baton::platform
