#include "message/core/notify.hpp"

#include "message/core/engine.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

void notify_slow(LocalRank rank) {
  transport::Doorbell& doorbell = transport::doorbell(rank);
  if (!lockfree::ring_doorbell(doorbell, number_of(engine.local_rank))) return;
  count(engine.counters.wakeups);
  transport::wake_sleeper(rank);
}

bool wake_slow(LocalRank rank) {
  transport::Doorbell& doorbell = transport::doorbell(rank);
  if (!lockfree::end_sleep(doorbell)) return false;
  count(engine.counters.wakeups);
  transport::wake_sleeper(rank);
  return true;
}

}  // namespace baton::message
