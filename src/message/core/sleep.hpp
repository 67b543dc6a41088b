// How a rank that waits sleeps: on its doorbell, and on what its sources of progress can be woken
// by.
#pragma once

#include <cstdint>

#include "base/event.hpp"
#include "message/core/engine.hpp"
#include "platform/clock.hpp"

namespace baton::message {

// Runs `sleep`, which sleeps for no longer than bound_us, and tells tools that ask.
template <class Sleep>
void sleep_told(std::int64_t bound_us, Sleep&& sleep) {
  const bool told = are_told(bit_of(Event::rank_sleeps) | bit_of(Event::rank_wakes));
  if (BATON_LIKELY(!told && platform::load_shared(engine.sleep_timers) == 0)) return sleep();
  if (is_told(Event::rank_sleeps)) tell(Event::rank_sleeps, EventPlace::inside, 0, {bound_us});
  const std::int64_t begun_ns = platform::now_ns();
  sleep();
  const std::int64_t slept_ns = platform::now_ns() - begun_ns;
  count(engine.slept_ns, static_cast<std::uint64_t>(slept_ns));
  if (is_told(Event::rank_wakes)) tell(Event::rank_wakes, EventPlace::inside, 0, {slept_ns});
}

// Returns whether something waits for space that nobody tells of.
bool waits_for_space();
// Sleeps until somebody wakes this process or a source has something, for so long at most. The
// caller has announced it. It may return at once.
void sleep_until_woken(std::int64_t bound_us);

}  // namespace baton::message
