#include "platform/foreign_descriptor.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace baton::platform {

int copy_descriptor(std::int32_t process, int descriptor) {
  const auto other = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (other < 0) return -1;
  const auto copy = static_cast<int>(::syscall(SYS_pidfd_getfd, other, descriptor, 0));
  ::close(other);
  return copy;
}

}  // namespace baton::platform
