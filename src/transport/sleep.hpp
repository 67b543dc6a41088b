// A process sleeps here until another wakes it. One that is attached to its own job's arena alone
// sleeps on its wake word there. Where there is a network it sleeps on a pipe and the network's
// descriptor, since a thread cannot wait for a word and a descriptor at the same time; where it has
// words in several arenas it sleeps on the pipe, too. lockfree/doorbell.hpp defines the words and
// their order.
#pragma once

#include <poll.h>

#include <cstdint>

#include "base/error.hpp"
#include "transport/arena.hpp"

namespace baton::transport {

// Opens the pipe by which others wake this process from now on, unless it is open, and makes it
// known in all arenas. It is called in a job of several nodes before any rank may sleep, and when
// another arena is joined.
[[nodiscard]] Error open_wake_pipe();
void close_wake_pipe();
// Makes the pipe known in an arena that is joined later; closes those of the others there.
void publish_wake_pipe(Arena& arena);
void forget_pipes(Arena& arena);

// At most this many descriptors may be waited for beside the wake word.
inline constexpr int sleep_descriptors_max = 16;
// Sleeps while this process's wake word holds `expected` and no descriptor is ready, but no longer
// than `bound_us`. The caller has announced that it sleeps. The events of the descriptors are
// returned in `beside`, as by poll.
void sleep_until_woken(std::uint32_t expected, std::int64_t bound_us, pollfd* beside, int count);
// Ends the sleep of a process, whose wake word the caller has changed.
void wake_sleeper(Slot slot);

}  // namespace baton::transport
