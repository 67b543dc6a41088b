#include "message/core/lead.hpp"

#include "message/core/announce.hpp"
#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "platform/futex.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

ProgressThread progress_thread;

namespace {

// relaxed, here and wherever `state`, `wanted`, `watched` and `stop` are touched: who writes one
// and then reads another has a full fence between them; work itself is published by its locks.
constexpr auto loosely = std::memory_order_relaxed;

}  // namespace

bool is_anything_under_way() {
  bool any =
      progress_thread.watched.load(loosely) > 0 || platform::load_shared(engine.queued_count);
  engine.sources.each([&any](const ProgressSource& source) { any |= source.needs_progress(); });
  return any;
}

void call_progress_thread() {
  // ORDER progress_thread.calls: release here, acquire in rest.
  progress_thread.calls.fetch_add(1, std::memory_order_release);
  platform::futex_wake(progress_thread.calls);
}

void watch_slow(Request& request) {
  request.watched = true;
  progress_thread.watched.fetch_add(1, loosely);
}

void unwatch(Request& request) {
  request.watched = false;
  progress_thread.watched.fetch_sub(1, loosely);
}

void rouse_slow() {
  lockfree::Hardware::full_fence();
  if (!is_anything_under_way() || progress_thread.wanted.load(loosely) > 0) return;
  switch (progress_thread.state.load(loosely)) {
    case ThreadState::resting:
      return call_progress_thread();
    case ThreadState::watching:
      (void)wake_slow(engine.local_rank);
      return;
    case ThreadState::taken_over:
      // Nobody has announced anything, or a leader has, who looks by itself.
      return transport::wake_sleeper(engine.local_rank);
    case ThreadState::awake:
    case ThreadState::ending_watch:
      return;
  }
}

void LeadWish::begin() {
  begun_ = true;
  progress_thread.wanted.fetch_add(1, loosely);
}

void LeadWish::end() {
  progress_thread.wanted.fetch_sub(1, loosely);
  rouse_slow();
}

void take_over_slow() {
  auto watching = ThreadState::watching;
  if (progress_thread.state.compare_exchange_strong(watching, ThreadState::taken_over, loosely,
                                                    loosely))
    return retract(lockfree::wake_asleep);
  // ORDER progress_thread.state: acquire here, release in end_watch.
  while (progress_thread.state.load(std::memory_order_acquire) == ThreadState::ending_watch)
    platform::yield_cpu();
}

}  // namespace baton::message
