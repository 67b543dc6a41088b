#include "platform/output_reader.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/stream.hpp"

namespace baton::platform {

namespace {

bool has_unread(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return false;
  int bytes = 0;
  return ioctl(descriptor, S_ISFIFO(status.st_mode) ? FIONREAD : TIOCOUTQ, &bytes) == 0 &&
         bytes > 0;
}

}  // namespace

void wait_until_read(int descriptor, std::int64_t deadline_ms) {
  while (has_unread(descriptor) && now_ms() < deadline_ms) usleep(1000);
}

}  // namespace baton::platform
