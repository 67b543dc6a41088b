#include "message/core/sleep.hpp"

#include "message/core/engine.hpp"
#include "platform/clock.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

bool waits_for_space() {
  bool any = platform::load_shared(engine.queued_count) != 0;
  engine.sources.each([&any](const ProgressSource& source) { any |= source.waits_for_space(); });
  return any;
}

void sleep_until_woken(std::int64_t bound_us) {
  const std::uint32_t expected =
      lockfree::wake_asleep | (engine.doorbells ? lockfree::wake_doorbell : 0);
  count(engine.counters.sleeps);
  SleepPlan plan(bound_us);
  engine.sources.each([&plan](ProgressSource& source) { source.plan_sleep(plan); });
  if (!plan.sleeps) return;
  const std::int64_t begun_ns = plan.count ? platform::now_ns() : 0;
  sleep_told(plan.bound_us, [&] {
    transport::sleep_until_woken(expected, plan.bound_us, plan.descriptors, plan.count);
  });
  if (plan.count == 0) return;
  const std::int64_t slept_ns = platform::now_ns() - begun_ns;
  engine.sources.each([&](ProgressSource& source) { source.has_slept(plan, slept_ns); });
}

}  // namespace baton::message
