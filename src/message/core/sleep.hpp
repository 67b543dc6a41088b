// How a rank that waits sleeps: on its doorbell, and on what its sources of progress can be woken
// by.
#pragma once

#include <cstdint>

#include "message/core/engine.hpp"

namespace baton::message {

// Returns whether something waits for space that nobody tells of.
bool waits_for_space();
// Sleeps until somebody wakes this process or a source has something, for so long at most. The
// caller has announced it. It may return at once.
void sleep_until_woken(std::int64_t bound_us);

}  // namespace baton::message
