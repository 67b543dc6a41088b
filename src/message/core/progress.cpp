#include "message/core/progress.hpp"

#include "message/core/attend.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/lanes.hpp"
#include "message/core/lead.hpp"
#include "message/core/queue.hpp"
#include "message/core/wake.hpp"

namespace baton::message {

namespace {

BATON_COLD bool advance_rest() {
  bool any = false;
  engine.sources.each([&any](ProgressSource& source) { any |= source.advance(); });
  if (platform::load_shared(engine.queued_count))
    for (std::uint32_t i = 0; i < engine.process_count; ++i)
      if (Peer* peer = known_peer(static_cast<Process>(i));
          peer && platform::load_shared(peer->queued.first))
        any |= drain_queue(*peer);
  if (is_asked()) any |= attendance.attend();
  return any;
}

bool progress_among_threads() {
  if (engine.progress_lock.is_held() || !engine.progress_lock.try_lock()) return false;
  leading.now = true;
  bool any = progress_alone();
  leading = {};
  engine.progress_lock.unlock();
  wake_waiters();
  make_copies();
  return any;
}

}  // namespace

bool progress() {
  bool any =
      BATON_LIKELY(!platform::threads_multiple) ? progress_alone() : progress_among_threads();
  // Who tests again and again would keep the CPU from the rank it waits for.
  if (BATON_UNLIKELY(!any && engine.oversubscribed)) platform::yield_cpu();
  return any;
}

bool progress_alone() {
  bool any = poll_lanes();
  if (BATON_UNLIKELY(engine.sources.any() | (platform::load_shared(engine.queued_count) != 0) |
                     is_asked()))
    any |= advance_rest();
  return any;
}

void set_active(ProgressSource& source, bool active) {
  {
    platform::Guard guard(engine.sources.lock);
    engine.sources.make_known(source);
    source.add((active ? 1u : 0u) - source.under_way_);
  }
  if (BATON_UNLIKELY(active && platform::threads_multiple)) {
    wake_waiters();
    rouse_progress_thread();
  }
}

}  // namespace baton::message
