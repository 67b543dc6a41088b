// How a rank of the library waits and wakes (message/core/wait.cpp, message/core/engine.cpp), step by step
// with the shipped functions of lockfree/doorbell.hpp, but without its spins and without the bound
// of its sleep: a lost wake-up leaves nobody who can go on. Used by doorbell_test.cpp and
// room_test.cpp.
#pragma once

#include "lockfree/doorbell.hpp"
#include "tests/lockfree/model/atomics.hpp"

namespace baton::model {

using ModelDoorbell = lockfree::Doorbell<Model>;

// The two ways to order announcement and look against publish and look; and none, which must fail.
enum class Ordering { fences, membarrier, none };

// The receiver's side of it (and a room member's).
inline void order_announcement(Ordering ordering) {
  if (ordering == Ordering::fences)
    Model::full_fence();
  else if (ordering == Ordering::membarrier)
    fence_everywhere();
}
// notify_slow.
inline void notify_slow(ModelDoorbell& doorbell, std::uint32_t sender) {
  if (ring_doorbell(doorbell, sender)) wake_sleepers(&doorbell.wake.word);
}
// wake_slow.
inline void wake_slow(ModelDoorbell& doorbell) {
  if (end_sleep(doorbell)) wake_sleepers(&doorbell.wake.word);
}
// notify: after something was published.
inline void notify(ModelDoorbell& doorbell, std::uint32_t sender, Ordering ordering) {
  if (ordering == Ordering::fences) Model::full_fence();
  if (wants_attention(doorbell)) notify_slow(doorbell, sender);
}

// wait_until with Waiter: `trusts` says whether doorbells are trusted at the time of the sleep,
// and `state` is all that the caller's progress remembers.
template <class Done, class Progress, class Trusts, class State>
void wait_until(ModelDoorbell& own, Ordering ordering, Done done, Progress progress, Trusts trusts,
                State state) {
  bool announced = false;
  Mark start = mark();
  auto rise = [&] {
    announced = false;
    retract(own, lockfree::wake_asleep);
  };
  while (!done()) {
    forget_all_but(start, mix(state(), announced));
    if (progress()) {
      if (announced) rise();
    } else if (!announced) {
      announced = true;
      announce(own, lockfree::wake_asleep);
      order_announcement(ordering);
    } else {
      sleep_on(&own.wake.word, lockfree::wake_asleep | (trusts() ? lockfree::wake_doorbell : 0));
      rise();
    }
  }
  if (announced) rise();
}

}  // namespace baton::model
