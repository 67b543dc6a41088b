// Descriptors 0 to 2 of a process that was started without some of them.
#pragma once

namespace baton::platform {

// Takes the numbers, so that no file of ours gets one and is read or written in its place. Using
// them fails as it did: reading and writing gives EBADF. First thing in main.
void open_standard_descriptors();

}  // namespace baton::platform
