#include "message/core/wait.hpp"

#include <algorithm>

#include "base/event.hpp"
#include "base/settings.hpp"
#include "message/core/announce.hpp"
#include "message/core/engine.hpp"
#include "message/core/meeting.hpp"
#include "message/core/protocol.hpp"
#include "message/core/requests.hpp"
#include "message/core/sleep.hpp"
#include "message/core/wake.hpp"
#include "platform/clock.hpp"
#include "platform/memory_kind.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

void (*wait_watched)(const Request& request) = nullptr;

bool Follower::idle_awake() {
  if (engine.wait_budget.timed) begin_waiting();
  constexpr int spins = 200;   // guess: the leader is often about to finish
  constexpr int yields = 200;  // guess
  if (rounds_ >= spins + yields) return false;
  if (rounds_++ < spins)
    platform::pause_cpu();
  else
    platform::yield_cpu();
  return true;
}

constinit thread_local WaitingTime waiting_time{};

void set_wait_budget(bool many_threads) {
  bool oversubscribed = engine.oversubscribed;
  // guess: with a CPU each, spinning costs nobody anything for a millisecond or so; oversubscribed,
  // the one we wait for may be waiting for our CPU.
  bool may_be_oversubscribed =
      many_threads && 2 * engine.local_ranks > transport::job().cpus_usable;  // by its threads
  int spins = oversubscribed ? 4 : may_be_oversubscribed ? 200 : 20000;
  WaitBudget& budget = engine.wait_budget;
  budget.many_threads = many_threads;
  budget.timed_spins = settings.spin_count >= 0 ? settings.spin_count : spins;
  budget.timed = transport::job().timing.bytes != 0;
  budget.spins = budget.timed ? 0 : budget.timed_spins;
  budget.yields = settings.yield_count >= 0 ? settings.yield_count : oversubscribed ? 200 : 100;
  // With many ranks on a CPU, Linux does not run those that yield in turn, and a meeting of all
  // takes many rounds of yields (docs/decisions/oversubscribed-waits.md). Guess, between 8 and 10.
  constexpr std::uint32_t ranks_per_cpu = 8;
  const bool crowded = engine.local_ranks > ranks_per_cpu * transport::job().cpus_usable;
  budget.meeting_yields = crowded && settings.yield_count < 0 ? 0 : budget.yields;
}

void settings_changed() {
  set_wait_budget(engine.wait_budget.many_threads);
  each_protocol([](Protocol& protocol) { protocol.settings_changed(); });
}

namespace {

// Returns whether a message moves, though this round found nothing: it streams, or its receiver
// copies it.
bool moves(const Request& request) {
  if (request.stage == Stage::streaming) return true;
  return request.kind == RequestKind::send && request.stage == Stage::offered &&
         peer_of(request.process).protocol->is_moving(request);
}

bool moves(const WaitSubject& subject) {
  if (subject.kind == WaitSubject::Kind::request)
    return moves(*static_cast<const Request*>(subject.object));
  if (subject.kind != WaitSubject::Kind::any_of_requests) return false;
  const auto* handles = static_cast<const MPI_Request*>(subject.object);
  return std::any_of(handles, handles + subject.count, [](MPI_Request handle) {
    const Request* request = requests.find(handle);
    return request && !is_complete(*request) && moves(*request);
  });
}

}  // namespace

// Returns whether there is still to be spun.
bool Waiter::idle_timed(const WaitSubject& subject) {
  rests_ = rested_ = true;
  if (moves(subject))
    end_waiting();
  else
    begin_waiting();
  if (spins_ >= engine.wait_budget.timed_spins) return false;
  ++spins_;
  platform::pause_cpu();
  return true;
}

void Waiter::idle_slow(const WaitSubject& subject) {
  if (engine.wait_budget.timed && idle_timed(subject)) return;
  const WaitBudget& budget = engine.wait_budget;
  if (yields_ < (subject.is_meeting ? budget.meeting_yields : budget.yields)) {
    ++yields_;
    platform::yield_cpu();
    return;
  }
  report_.tell(subject);
  sleep();
}

void Waiter::sleep() {
  rests_ = rested_ = true;
  if (!announced_) {
    // Announce, order, and let the caller look once more before we really sleep.
    announced_ = true;
    platform::store_shared(engine.about_to_sleep, true);
    announce(lockfree::wake_asleep);
    order_against_senders();
    return;
  }
  // A lost wake-up (a rank whose membarrier a filter refuses) costs this long, not the job; longer
  // where nothing comes, so that many idle ranks leave the CPUs alone. A receiver that makes space
  // in a ring wakes nobody: whoever waits for space looks again soon.
  constexpr std::int64_t sleep_bound_max_us = 160000;  // guess
  constexpr std::int64_t space_bound_us = 200;         // guess: a few context switches
  sleep_until_woken(waits_for_space() ? space_bound_us : sleep_bound_us_);
  if (is_announced(lockfree::wake_asleep)) {
    // Nobody woke us. We stay announced, and sleep on if one more round finds nothing.
    sleep_bound_us_ = std::min(2 * sleep_bound_us_, sleep_bound_max_us);
    return;
  }
  retract();
  yields_ = 0;
  // The event that woke us may be one that another thread waits for: a room, say.
  if (platform::threads_multiple) wake_waiters();
}

void Waiter::end_rest() {
  if (rests_) rise();
  report_.end();
}

void Waiter::rise() {
  rests_ = false;
  if (engine.wait_budget.timed) end_waiting();
  if (announced_) retract();
}

void Waiter::retract() {
  announced_ = false;
  platform::store_shared(engine.about_to_sleep, false);
  message::retract(lockfree::wake_asleep);
}

}  // namespace baton::message
