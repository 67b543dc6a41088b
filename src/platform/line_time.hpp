// This measures how far apart two CPUs are.
#pragma once

namespace baton::platform {

// Returns the nanoseconds that a cache line takes one way between two CPUs, by their kernel's
// numbers: two threads, one on each, answer each other, and the median of several batches counts.
// Negative: it could not be measured, since this process may not run there, or other work has one
// of the CPUs. It took less than 1 to 6 ms on a virtual machine of 2 CPUs, and gives up after 10.
// Nobody else may change the affinity of the calling thread meanwhile.
double line_time_ns(int one, int other);

}  // namespace baton::platform
