#include "window/count.hpp"

#include <atomic>

#include "message/core/engine.hpp"
#include "transport/move/reach.hpp"
#include "transport/node.hpp"
#include "window/reach.hpp"

namespace baton::window {

namespace {

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
  if (!transport::job().explain) return;
  const bool moves = operation == WindowOperation::put || operation == WindowOperation::get;
  ReachWay way = reach_of(spot).way;
  if (way == ReachWay::provider && moves) return;
  if (way == ReachWay::provider) way = ReachWay::message;
  count_way(window, bytes, way, reason_of(window, spot), operation);
}

void count_way(const Window& window, std::int64_t bytes, ReachWay way, ReachReason reason,
               WindowOperation operation) {
  const auto memory = static_cast<int>(memory_of(window));
  OneSidedCounts& counts = message::engine.one_sided;
  Tally& tally = counts.tally[memory][static_cast<int>(way)][static_cast<int>(operation)];
  message::count(tally.messages);
  message::count(tally.bytes, static_cast<std::uint64_t>(bytes));
  if (reason != ReachReason::none) message::count(counts.reasons[memory][static_cast<int>(reason)]);
}

}  // namespace baton::window
