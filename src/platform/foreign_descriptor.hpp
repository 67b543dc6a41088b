// Copies descriptors of other processes (pidfd_getfd of Linux 5.6), where those permit what also
// allows to read their memory.
#pragma once

#include <cstdint>

namespace baton::platform {

// Returns a copy of another process's descriptor, which is the caller's, and closed on exec; -1: it
// cannot be had.
int copy_descriptor(std::int32_t process, int descriptor);

}  // namespace baton::platform
