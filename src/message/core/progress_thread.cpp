#include "message/core/progress_thread.hpp"

#include <cstring>

#include "message/core/announce.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/lead.hpp"
#include "message/core/notify.hpp"
#include "message/core/progress.hpp"
#include "message/core/sleep.hpp"
#include "message/core/wake.hpp"
#include "platform/futex.hpp"
#include "platform/thread.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

namespace {

// relaxed, here and wherever `state`, `wanted`, `watched` and `stop` are touched: who writes one
// and then reads another has a full fence between them; work itself is published by its locks.
constexpr auto loosely = std::memory_order_relaxed;

bool must_let_go() {
  return progress_thread.stop.load(loosely) || progress_thread.wanted.load(loosely) > 0;
}

// Leads until nothing is under way, the program wants to, or nothing has happened for a while.
// Under the progress lock.
void lead_while_it_goes_on() {
  // guess: a peer that is about to answer does so within this; on the program's own CPU every round
  // is taken from its computing.
  int patience = progress_thread.has_own_cpu ? 2000 : 4;
  for (int idle = 0; idle < patience && !must_let_go() && !has_copies() && is_anything_under_way();
       ++idle) {
    wake_for_completions();
    if (progress_alone())
      idle = 0;
    else
      platform::pause_cpu();
  }
}

// From here on peers wake us. Under the progress lock: whoever leads next finds us announced.
void begin_watch() {
  progress_thread.state.store(ThreadState::watching, loosely);
  announce(lockfree::wake_asleep);
}

// One look with the announcement made; whether there is reason to sleep.
bool finds_nothing() {
  if (must_let_go() || !engine.progress_lock.try_lock()) return false;
  leading.now = true;
  platform::store_shared(engine.about_to_sleep, true);
  bool any = progress_alone();
  platform::store_shared(engine.about_to_sleep, false);
  leading = {};
  engine.progress_lock.unlock();
  if (any) wake_waiters();
  make_copies();
  return !any && is_anything_under_way();
}

void end_watch() {
  auto watching = ThreadState::watching;
  if (progress_thread.state.compare_exchange_strong(watching, ThreadState::ending_watch, loosely,
                                                    loosely))
    retract(lockfree::wake_asleep);
  // ORDER progress_thread.state: release here, acquire in take_over_slow; the announcement is taken
  // back before anybody else makes one.
  progress_thread.state.store(ThreadState::awake, std::memory_order_release);
}

// Sleeps until a peer has done something. As Waiter does, but without the lock.
void watch_doorbell() {
  lockfree::Hardware::full_fence();
  order_against_senders();
  if (finds_nothing()) {
    constexpr std::int64_t bound_us = 10000, space_bound_us = 200;  // guess: see Waiter
    sleep_until_woken(waits_for_space() ? space_bound_us : bound_us);
  }
  end_watch();
}

// Sleeps until there is something to do that the program does not do itself.
void rest() {
  constexpr std::int64_t bound_us = 160000;  // guess: no wake-up is lost; idle all the same
  // ORDER progress_thread.calls: acquire here, release in call.
  std::uint32_t seen = progress_thread.calls.load(std::memory_order_acquire);
  progress_thread.state.store(ThreadState::resting, loosely);
  lockfree::Hardware::full_fence();
  bool has_work = is_anything_under_way() && progress_thread.wanted.load(loosely) == 0;
  if (!has_work && !progress_thread.stop.load(loosely))
    platform::futex_wait(progress_thread.calls, seen, bound_us);
  progress_thread.state.store(ThreadState::awake, loosely);
}

void run() {
  while (!progress_thread.stop.load(loosely)) {
    if (!is_anything_under_way() || progress_thread.wanted.load(loosely) > 0) {
      rest();
    } else if (engine.progress_lock.try_lock()) {
      leading.now = true;
      lead_while_it_goes_on();
      bool watches = is_anything_under_way() && !must_let_go() && !has_copies();
      if (watches) begin_watch();
      leading = {};
      engine.progress_lock.unlock();
      wake_waiters();
      make_copies();
      if (watches) watch_doorbell();
    } else {
      platform::yield_cpu();  // a thread of the program looks, briefly
    }
  }
}

}  // namespace

Error start_progress_thread() {
  progress_thread.has_own_cpu = transport::place_of(engine.local_rank).cpu_count > 1 &&
                                2 * engine.local_ranks <= transport::job().cpus_usable;
  progress_thread.stop.store(false, loosely);
  progress_thread.runs = true;
  if (int error = platform::start_thread(progress_thread.id, "baton-progress", run)) {
    progress_thread.runs = false;
    return fail(MPI_ERR_OTHER,
                "cannot start the progress thread: %s; see ulimit -u and the control group's "
                "pids.max, or leave BATON_PROGRESS_THREAD away",
                std::strerror(error));
  }
  return MPI_SUCCESS;
}

void stop_progress_thread() {
  if (!progress_thread.runs) return;
  progress_thread.stop.store(true, loosely);
  lockfree::Hardware::full_fence();
  call_progress_thread();
  wake_slow(engine.local_rank);
  transport::wake_sleeper(engine.local_rank);
  platform::join_thread(progress_thread.id);
  progress_thread.runs = false;
}

void forget_progress_thread() {
  progress_thread.runs = false;
}

}  // namespace baton::message
