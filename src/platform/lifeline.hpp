// A lifeline is a pipe that ends a process that must not outlive its launcher.
#pragma once

namespace baton::platform {

// Has the kernel kill this process when the last writer of the pipe is gone, however it ended. It
// takes no thread and no polling. `descriptor` is the pipe's read end and is closed here. False
// with errno set when that cannot be arranged; the caller then goes on without.
bool die_with_pipe(int descriptor);

}  // namespace baton::platform
