#include "platform/fork.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

namespace baton::platform {

void keep_from_children(void* address, std::uint64_t bytes) {
  (void)madvise(address, bytes, MADV_DONTFORK);
}

void keep_from_programs(int descriptor) {
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

bool call_in_children(void (*function)()) {
  return pthread_atfork(nullptr, nullptr, function) == 0;
}

}  // namespace baton::platform
