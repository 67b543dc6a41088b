#include "message/core/notify.hpp"

#include "message/core/engine.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

void notify_slow(transport::Slot slot) {
  transport::Doorbell& doorbell = transport::doorbell(slot);
  if (!lockfree::ring_doorbell(doorbell, slot.own().index)) return;
  count(engine.counters.wakeups);
  transport::wake_sleeper(slot);
}

bool wake_slow(transport::Slot slot) {
  transport::Doorbell& doorbell = transport::doorbell(slot);
  if (!lockfree::end_sleep(doorbell)) return false;
  count(engine.counters.wakeups);
  transport::wake_sleeper(slot);
  return true;
}

}  // namespace baton::message
