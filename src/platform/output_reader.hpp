// The other side of a descriptor that this process writes to: who reads its output.
#pragma once

#include <cstdint>

namespace baton::platform {

// Waits until the reader of a pipe, socket or terminal has taken all that was written to it, or
// until the deadline, a time of now_ms. Returns at once for files and descriptors that are not
// open.
void wait_until_read(int descriptor, std::int64_t deadline_ms);

}  // namespace baton::platform
