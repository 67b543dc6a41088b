// This opens descriptors 0 to 2 in a process that was started without some of them.
#pragma once

namespace baton::platform {

// Takes the missing numbers, so that no file of ours gets one and is read or written in its place.
// Reading or writing them still fails with EBADF. It is the first call in main.
void open_standard_descriptors();

}  // namespace baton::platform
