#include "message/core/notify.hpp"

#include "message/core/engine.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

namespace {

// Threads that carry out file accesses wake this process, too, whatever level of threads it has.
void count_wakeup() {
  // relaxed: a count.
  std::atomic_ref(engine.counters.wakeups).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void notify_slow(transport::Slot slot) {
  transport::Doorbell& doorbell = transport::doorbell(slot);
  if (!lockfree::ring_doorbell(doorbell, slot.own().index)) return;
  count_wakeup();
  transport::wake_sleeper(slot);
}

bool wake_slow(transport::Slot slot) {
  transport::Doorbell& doorbell = transport::doorbell(slot);
  if (!lockfree::end_sleep(doorbell)) return false;
  count_wakeup();
  transport::wake_sleeper(slot);
  return true;
}

}  // namespace baton::message
