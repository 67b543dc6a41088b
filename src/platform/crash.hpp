// What a process says when it crashes: the signal, the MPI call it was in, and a short backtrace,
// on standard error. Invariant: a handler of the program's or of a runtime (Java, Julia, Python) is
// never replaced, and the process dies of the signal as it would have, with its core file.
#pragma once

namespace baton::platform {

// From now on crashes of this process are told of `rank`, for the signals whose action is the
// default one. Once, by the main thread, which gets a stack for it if it has none.
void tell_crashes(int rank);
// No more: the actions that are still ours are the default ones again.
void stop_telling_crashes();
// In a child of this process; only stores.
void forget_crashes();

}  // namespace baton::platform
