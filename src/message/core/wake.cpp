#include "message/core/wake.hpp"

#include "message/core/engine.hpp"
#include "message/core/lead.hpp"
#include "message/core/notify.hpp"
#include "message/core/sleep.hpp"
#include "platform/futex.hpp"

namespace baton::message {

constinit thread_local Leading leading{};

std::uint32_t announce_follower() {
  // relaxed: the fence orders it before our last look at what we wait for, as the fence in
  // wake_waiters orders a completion before the look at the count.
  engine.followers.asleep.fetch_add(1, std::memory_order_relaxed);
  lockfree::Hardware::full_fence();
  // ORDER wait.events: acquire here, release in wake_waiters.
  return engine.followers.events.load(std::memory_order_acquire);
}

void sleep_as_follower(std::uint32_t seen) {
  constexpr std::int64_t bound_us = 10000;
  count(engine.counters.sleeps);
  sleep_told(bound_us, [seen] { platform::futex_wait(engine.followers.events, seen, bound_us); });
}

void retract_follower() {
  // relaxed: one wake-up too many does no harm.
  engine.followers.asleep.fetch_sub(1, std::memory_order_relaxed);
}

void wake_waiters() {
  lockfree::Hardware::full_fence();
  // The one who makes progress sleeps on our doorbell; it has ordered its announcement against us
  // as against other ranks.
  // relaxed: while the progress thread watches, nobody leads and sleeps; it needs no completions.
  bool leader_may_sleep =
      progress_thread.state.load(std::memory_order_relaxed) != ThreadState::watching;
  if (leader_may_sleep && lockfree::wants_attention(transport::doorbell(engine.local_rank)))
    wake_slow(engine.local_rank);
  // relaxed: see announce_follower.
  if (engine.followers.asleep.load(std::memory_order_relaxed) == 0) return;
  // ORDER wait.events: release here, acquire in announce_follower.
  engine.followers.events.fetch_add(1, std::memory_order_release);
  platform::futex_wake(engine.followers.events);
}

void announce_completion() {
  if (leading.now)
    leading.completed = true;
  else
    wake_waiters();
}

}  // namespace baton::message
