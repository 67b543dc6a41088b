#include "platform/cpu_claims.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace baton::platform {

namespace {

constexpr const char* place = "/sys/devices/system/cpu/possible";

struct flock byte_of(int cpu, short type) {
  struct flock byte {};
  byte.l_type = type;
  byte.l_whence = SEEK_SET;
  byte.l_start = cpu;
  byte.l_len = 1;
  return byte;
}

}  // namespace

CpuClaims::CpuClaims() : file_(open(place, O_RDONLY | O_CLOEXEC)) {}

void CpuClaims::begin() {
  constexpr int tries = 100;  // guess: others need some milliseconds
  turn_ = open(place, O_RDONLY | O_CLOEXEC);
  for (int i = 0; turn_ >= 0 && i < tries; ++i) {
    if (flock(turn_, LOCK_EX | LOCK_NB) == 0) return;
    usleep(1000);
  }
}

bool CpuClaims::is_claimed(int cpu) const {
  // The query asks for a write lock, with which read locks of others conflict. To take such a lock
  // the file would have to be writable; a query needs no more than reading.
  struct flock byte = byte_of(cpu, F_WRLCK);
  return file_ >= 0 && fcntl(file_, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

void CpuClaims::claim(const std::vector<int>& cpus) {
  for (int cpu : cpus) {
    struct flock byte = byte_of(cpu, F_RDLCK);
    if (file_ >= 0) (void)fcntl(file_, F_OFD_SETLK, &byte);
  }
  if (turn_ >= 0) close(turn_);
  turn_ = -1;
}

}  // namespace baton::platform
