#include "message/wait.hpp"

#include "base/settings.hpp"

namespace baton::message {

WaitBudget wait_budget;

void set_wait_budget() {
  bool crowded = engine.ranks > transport::arena.job->cpus_usable;
  // guess: with a CPU each, spinning costs nobody anything for a millisecond or so; crowded, the
  // one we wait for may be waiting for our CPU.
  wait_budget.spins = settings.spin_count >= 0 ? settings.spin_count : crowded ? 4 : 20000;
  wait_budget.yields = settings.yield_count >= 0 ? settings.yield_count : crowded ? 200 : 100;
}

void Waiter::idle_slow() {
  if (yields_ < wait_budget.yields) {
    ++yields_;
    platform::yield_cpu();
    return;
  }
  transport::Doorbell& doorbell = transport::arena.doorbell(engine.rank);
  if (!announced_) {
    // Announce, order, and let the caller look once more before we really sleep.
    announced_ = engine.about_to_sleep = true;
    lockfree::announce(doorbell, lockfree::wake_asleep);
    if (engine.senders_fence)
      lockfree::Hardware::full_fence();
    else
      platform::membarrier_all();
    return;
  }
  // A lost wake-up (a rank whose membarrier a filter refuses) costs this long, not the job. A
  // receiver that makes room in a ring or in staging wakes nobody: whoever waits for room looks
  // again soon.
  constexpr std::int64_t sleep_bound_us = 10000;
  constexpr std::int64_t room_bound_us = 200;  // guess: a few context switches
  bool wants_room = (engine.queued_count | engine.stream_count) != 0;
  std::int64_t bound_us = wants_room ? room_bound_us : sleep_bound_us;
  std::uint32_t expected = lockfree::wake_asleep | (engine.doorbells ? lockfree::wake_doorbell : 0);
  ++engine.counters.sleeps;
  platform::futex_wait(doorbell.wake.word, expected, bound_us);
  rise();
  yields_ = 0;
}

void Waiter::rise() {
  announced_ = engine.about_to_sleep = false;
  lockfree::retract(transport::arena.doorbell(engine.rank), lockfree::wake_asleep);
}

}  // namespace baton::message
