// How a rank sleeps until another wakes it. In a job of one node on its wake word alone; where
// there is a network on a pipe and the network's descriptor, since nobody can wait for a word and a
// descriptor at the same time. The words and their order are lockfree/doorbell.hpp's.
#pragma once

#include <poll.h>

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"

namespace baton::transport {

// Before anyone may sleep, in a job of several nodes: the pipe by which others wake this rank.
[[nodiscard]] Error open_wake_pipe();
void close_wake_pipe();

// So many descriptors may be waited for beside.
inline constexpr int sleep_descriptors_max = 16;
// Sleeps while this rank's wake word holds `expected`, none of the descriptors has what it waits
// for, and no longer than `bound_us`. The announcement has been made. Says what the descriptors
// have, as poll does.
void sleep_until_woken(std::uint32_t expected, std::int64_t bound_us, pollfd* beside, int count);
// Ends that of a rank; its wake word has been changed.
void wake_sleeper(LocalRank rank);

}  // namespace baton::transport
