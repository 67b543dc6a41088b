#include "window/by_provider.hpp"

#include <cstdlib>
#include <new>

#include "base/settings.hpp"
#include "message/core/engine.hpp"
#include "transport/network/exposed_memory.hpp"
#include "world/agree/agree.hpp"

namespace baton::window {

using transport::network::RailRegistrations;
using transport::network::RemoteMemory;

struct ProviderReach {
  RailRegistrations own;
  RemoteMemory* of = nullptr;  // by rank of the window
};

namespace {

bool spans_nodes(const Window& window) {
  for (int rank = 0; rank < window.ranks(); ++rank)
    if (window.targets[rank].local_rank == not_on_this_node) return true;
  return false;
}

}  // namespace

Error open_provider_reach(Window& window) {
  if (!transport::spans_nodes() || window.is_dynamic() || !spans_nodes(window)) return MPI_SUCCESS;
  const auto ranks = static_cast<std::size_t>(window.ranks());
  auto* reach = new (std::nothrow) ProviderReach;
  auto* of = static_cast<RemoteMemory*>(std::malloc(ranks * sizeof(RemoteMemory)));
  // The other ranks would wait for ever if this rank left here, so the job ends without this
  // memory.
  BATON_INVARIANT(reach && of);
  reach->of = of;
  window.reach = reach;
  RemoteMemory told;
  // If the provider refuses, the others are told that this rank's memory cannot be reached so.
  if (transport::network::has_remote_access() && window.size > 0)
    (void)transport::network::expose(window.base, static_cast<std::size_t>(window.size), reach->own,
                                     told);
  return world::agree_allgather(world::all_of(window.comm->point_to_point, world::agreement_tag),
                                &told, sizeof told, reach->of);
}

void close_provider_reach(Window& window) {
  if (!window.reach) return;
  transport::network::network().forget(window.reach->own);
  std::free(window.reach->of);
  delete window.reach;
  window.reach = nullptr;
}

ReachReason why_not_by_provider(const Window& window, const Spot& spot, const Data& data,
                                const Place& place, WindowOperation operation) {
  const bool is_put = operation == WindowOperation::put;
  if (!is_put && operation != WindowOperation::get) return ReachReason::other_node;
  // A target on this node comes here only where the kernel refuses cross-memory copies.
  if (spot.target->local_rank != not_on_this_node) return ReachReason::kernel_refuses;
  if (!window.reach || !data.type->contiguous || !place.type->contiguous)
    return ReachReason::other_node;
  if (!transport::network::has_remote_access()) return ReachReason::no_remote_access;
  if (data.bytes() < (is_put ? settings.network_put_bytes_min : settings.network_get_bytes_min))
    return ReachReason::short_message;
  if (window.reach->of[window.rank_of(*spot.target)].rails == 0) return ReachReason::not_registered;
  return ReachReason::none;
}

RemoteMemory provider_memory(const Window& window, const Spot& spot) {
  const Target& target = *spot.target;
  RemoteMemory there = window.reach->of[window.rank_of(target)];
  there.address += spot.address - target.address;
  return there;
}

}  // namespace baton::window
