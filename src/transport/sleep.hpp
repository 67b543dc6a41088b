// A rank sleeps here until another rank wakes it. In a job of one node a rank sleeps on its wake
// word alone; where there is a network it sleeps on a pipe and the network's descriptor, since a
// thread cannot wait for a word and a descriptor at the same time. lockfree/doorbell.hpp defines
// the words and their order.
#pragma once

#include <poll.h>

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"

namespace baton::transport {

// Opens the pipe by which others wake this rank, in a job of several nodes. It is called before any
// rank may sleep.
[[nodiscard]] Error open_wake_pipe();
void close_wake_pipe();

// At most this many descriptors may be waited for beside the wake word.
inline constexpr int sleep_descriptors_max = 16;
// Sleeps while this rank's wake word holds `expected` and no descriptor is ready, but no longer
// than `bound_us`. The caller has announced that it sleeps. The events of the descriptors are
// returned in `beside`, as by poll.
void sleep_until_woken(std::uint32_t expected, std::int64_t bound_us, pollfd* beside, int count);
// Ends the sleep of a rank, whose wake word the caller has changed.
void wake_sleeper(LocalRank rank);

}  // namespace baton::transport
