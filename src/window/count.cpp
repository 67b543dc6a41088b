#include "window/count.hpp"

#include <atomic>
#include <new>

#include "base/event.hpp"
#include "message/core/engine.hpp"
#include "platform/memory_kind.hpp"
#include "transport/move/reach.hpp"
#include "transport/node.hpp"
#include "window/reach.hpp"

namespace baton::window {

namespace {

bool is_watched(const Window& window) {
  return window.counts && platform::load_shared(window.counts->watchers) != 0;
}

WindowMemory memory_of(const Window& window) {
  switch (window.flavor) {
    case MPI_WIN_FLAVOR_CREATE:
      return WindowMemory::create;
    case MPI_WIN_FLAVOR_DYNAMIC:
      return WindowMemory::attach;
    case MPI_WIN_FLAVOR_SHARED:
      return WindowMemory::allocate_shared;
    default:
      return WindowMemory::allocate;
  }
}

// Returns why the operation could not use loads and stores.
ReachReason reason_of(const Window& window, const Spot& spot) {
  const Target& target = *spot.target;
  if (spot.memory) return ReachReason::none;
  if (!target.reach->is_remote()) return ReachReason::private_memory;
  if (!message::is_of_own_job(target.process)) return ReachReason::other_job;
  if (target.local_rank == not_on_this_node) return ReachReason::other_node;
  if (!target.row) return ReachReason::no_common_memory;
  const Reason refusal = transport::refusal(window.targets[target.owner].local_rank);
  // relaxed: the last writer of several threads wins.
  std::atomic_ref(message::engine.one_sided.refusal)
      .store(static_cast<std::uint64_t>(refusal), std::memory_order_relaxed);
  return ReachReason::kernel_refuses;
}

}  // namespace

void count_special(const Window& window, std::int64_t bytes, const Spot& spot,
                   WindowOperation operation) {
  if (!transport::job().explain && !is_watched(window)) return;
  const bool moves = operation == WindowOperation::put || operation == WindowOperation::get;
  ReachWay way = reach_of(spot).way;
  if (way == ReachWay::provider && moves) return;
  if (way == ReachWay::provider) way = ReachWay::message;
  count_way(window, bytes, way, reason_of(window, spot), operation);
}

void count_way(const Window& window, std::int64_t bytes, ReachWay way, ReachReason reason,
               WindowOperation operation) {
  if (is_watched(window)) {
    Tally& seen = window.counts->operations[static_cast<int>(operation)];
    message::count(seen.messages);
    message::count(seen.bytes, static_cast<std::uint64_t>(bytes));
  }
  const auto memory = static_cast<int>(memory_of(window));
  OneSidedCounts& counts = message::engine.one_sided;
  Tally& tally = counts.tally[memory][static_cast<int>(way)][static_cast<int>(operation)];
  message::count(tally.messages);
  message::count(tally.bytes, static_cast<std::uint64_t>(bytes));
  if (reason != ReachReason::none) message::count(counts.reasons[memory][static_cast<int>(reason)]);
}

WindowCounts* watch(Window& window) {
  if (!window.counts) window.counts = new (std::nothrow) WindowCounts;
  if (!window.counts) return nullptr;
  platform::add_shared(window.counts->watchers, 1u);
  platform::store_shared(window.is_special, true);
  return window.counts;
}

void unwatch(Window& window) {
  platform::add_shared(window.counts->watchers, ~0u);
  platform::store_shared(window.is_special, must_be_special(window));
}

bool must_be_special(const Window& window) {
  return window.is_dynamic() || transport::job().explain != 0 || platform::memory_kinds.any() ||
         is_watched(window);
}

bool tells_lock_waits(const Window& window) {
  return is_watched(window) || is_told(Event::lock_waited);
}

void note_lock_wait(const Window& window, const Target& target, bool exclusive,
                    std::int64_t waited_ns) {
  if (is_watched(window)) {
    message::count(window.counts->lock_waits);
    message::count(window.counts->lock_wait_ns, static_cast<std::uint64_t>(waited_ns));
  }
  if (is_told(Event::lock_waited))
    tell(Event::lock_waited, EventPlace::inside, reinterpret_cast<std::uint64_t>(window.handle),
         {waited_ns, window.rank_of(target), exclusive});
}

}  // namespace baton::window
