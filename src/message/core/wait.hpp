// Waiting: spin, then yield, then sleep until a sender wakes us. How long each lasts comes from
// ranks against usable CPUs; sleeping covers every source of progress, and every sleep is bounded.
// Called by all blocking operations of layers 6 to 10.
#pragma once

#include <cstdint>

#include "message/core/attend.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/lead.hpp"
#include "message/core/progress.hpp"
#include "message/core/shortcuts.hpp"
#include "message/core/wait_report.hpp"
#include "message/core/waiting_time.hpp"
#include "message/core/wake.hpp"
#include "platform/futex.hpp"

namespace baton::message {

// Sets the budget from settings, ranks, CPUs, and whether threads of the program wait at the same
// time. At start.
void set_wait_budget(bool many_threads);
// Makes settings that a tool has changed take effect on what is sent, received and waited for from
// now on. Any thread that holds no lock of messages.
void settings_changed();

// One waiter's patience.
class Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // After a round that found nothing: pauses, yields or sleeps. `about` makes the WaitSubject, only
  // when it is to be told.
  template <class About>
  void idle(About&& about) {
    if (BATON_LIKELY(spins_ < engine.wait_budget.spins)) {
      ++spins_;
      platform::pause_cpu();
      return;
    }
    idle_slow(about());
  }
  // After a round that found something.
  void reset() {
    spins_ = yields_ = 0;
    if (BATON_UNLIKELY(rests_)) rise();
  }
  ~Waiter() {
    if (BATON_UNLIKELY(rested_)) end_rest();
  }

 private:
  BATON_COLD void idle_slow(const WaitSubject& subject);
  BATON_COLD void sleep();
  BATON_COLD bool idle_timed(const WaitSubject& subject);
  BATON_COLD void retract();
  BATON_COLD void rise();
  BATON_COLD void end_rest();
  std::int64_t spins_ = 0;
  std::int64_t yields_ = 0;
  std::int64_t sleep_bound_us_ = 10000;  // guess
  bool rests_ = false;                   // has announced its sleep, or its time is measured
  bool rested_ = false;                  // at any time; or slept, or was about to
  bool announced_ = false;
  WaitReport report_;
};

// With MPI_THREAD_MULTIPLE one thread at a time makes progress for all; the others wait until what
// they want is there or the progress lock is free. These are the latter's patience and its end.
class Follower {
 public:
  // Pauses, yields or sleeps. Before it sleeps `done` is asked once more; its answer, else false.
  template <class Done>
  bool idle(Done&& done) {
    if (idle_awake()) return false;
    const std::uint32_t events = announce_follower();
    bool is_done = done();
    if (!is_done && engine.progress_lock.is_held()) sleep(events);
    retract_follower();
    return is_done;
  }
  ~Follower() {
    if (engine.wait_budget.timed) end_waiting();
  }

 private:
  bool idle_awake();
  void sleep(std::uint32_t events) {
    sleep_as_follower(events);
    rounds_ = 0;
  }
  int rounds_ = 0;
};
// Makes progress for all until `done()`. The caller holds the progress lock, if threads need it.
template <class Done, class About>
void lead(Done&& done, About&& about) {
  Waiter waiter;
  while (!done()) {
    if (progress_alone())
      waiter.reset();
    else
      waiter.idle(about);
  }
}

// Leads as one of several threads, which also lets go where there are long copies to make.
// Whether `done` said yes.
template <class Done, class About>
bool lead_together(Done&& done, About&& about) {
  bool finished = false;
  leading.now = true;
  lead(
      [&] {
        wake_for_completions();
        finished = done();
        return finished || has_copies();
      },
      about);
  leading = {};
  return finished;
}

// Once `done` has said yes it is not asked again: it may have taken something.
template <class Done, class About>
BATON_COLD void wait_together(Done&& done, About&& about) {
  Follower follower;
  LeadWish wish;
  while (!done()) {
    if (engine.progress_lock.is_held() || !engine.progress_lock.try_lock()) {
      if (follower.idle(done)) return;
      continue;
    }
    take_over_watch();
    if (BATON_UNLIKELY(engine.wait_budget.timed)) end_waiting();
    const bool finished = lead_together(done, about);
    engine.progress_lock.unlock();
    wake_waiters();
    make_copies();
    if (finished) return;
  }
}

// Makes progress until `done()`. `about` makes the WaitSubject that a long wait is told by.
template <class Done, class About>
void wait_until(Done&& done, About&& about) {
  if (BATON_UNLIKELY(platform::threads_multiple)) return wait_together(done, about);
  lead(done, about);
}
template <class Done>
void wait_until(Done&& done) {
  wait_until(done, [] { return WaitSubject{}; });
}

// Looks for a while only at memory that others store to and then wake: that is quickest. Returns
// whether `ready` said yes.
template <class Ready>
bool look_directly(Ready&& ready) {
  constexpr int direct_polls = 256;  // guess
  if (engine.waits_by_progress) return false;
  for (int polls = direct_polls; polls > 0; --polls) {
    if (ready()) return true;
    if (is_asked()) return false;
    platform::pause_cpu();
  }
  return false;
}

// Looks for about as long as it takes to put a call aside and come back to it.
template <class Ready>
bool look_briefly(Ready&& ready) {
  constexpr int brief_polls = 32;  // guess
  if (engine.waits_by_progress) return false;
  for (int polls = brief_polls; polls > 0; --polls)
    if (ready()) return true;
  return false;
}

// Under the setting `check`: waits, and looks whether ranks wait for each other (collective/).
extern void (*wait_watched)(const Request& request);

inline void wait_for(Request& request) {
  if (BATON_UNLIKELY(wait_watched != nullptr)) return wait_watched(request);
  if (request.advance && !platform::threads_multiple)
    look_directly([&] { return !request.advance(request) || is_complete(request); });
  wait_until([&] { return is_settled(request); },
             [&] {
               return WaitSubject{WaitSubject::Kind::request, &request};
             });
}

}  // namespace baton::message
