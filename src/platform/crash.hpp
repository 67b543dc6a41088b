// A crash report names the signal, the MPI call in which the process was, and a short backtrace, on
// standard error. Invariant: a handler of the program's or of a runtime (Java, Julia, Python) is
// never replaced, and the process dies of the signal as it would have, with its core file.
#pragma once

namespace baton::platform {

// From now on crashes of this process are reported as crashes of `rank`, for signals that have the
// default action. The main thread calls it once, and gets a signal stack if it has none.
void tell_crashes(int rank);
// Ends the reports: signals whose action is still ours get the default one again.
void stop_telling_crashes();
// Ends the reports in a child of this process. It only stores, so it is safe after fork.
void forget_crashes();

}  // namespace baton::platform
