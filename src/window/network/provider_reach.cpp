#include "window/network/provider_reach.hpp"

#include <cstdlib>
#include <new>

#include "base/settings.hpp"
#include "message/network/remote_access.hpp"
#include "window/count.hpp"
#include "window/one_sided.hpp"
#include "world/agree/agree.hpp"

namespace baton::window {

using transport::network::RemoteMemory;

namespace {

// This is an access by the provider, among the transfers that a flush waits for.
struct Access final : Transfer {
  message::RemoteAccess access;
  bool is_over() const override { return message::is_over(access); }
  Error error() const override { return message::error_of(access); }
};

bool spans_nodes(const Window& window) {
  for (int rank = 0; rank < window.ranks(); ++rank)
    if (window.targets[rank].local_rank == not_on_this_node) return true;
  return false;
}

// Returns ReachReason::none if the provider is to move this data; else the reason why not.
ReachReason why_not(const RemoteMemory& there, const Data& data, const Place& place, bool is_put) {
  if (!data.is_run() || !place.is_run()) return ReachReason::other_node;
  if (!transport::network::has_remote_access()) return ReachReason::no_remote_access;
  if (data.bytes() < (is_put ? settings.network_put_bytes_min : settings.network_get_bytes_min))
    return ReachReason::short_message;
  return there.rails == 0 ? ReachReason::not_registered : ReachReason::none;
}

}  // namespace

ProviderReach::ProviderReach(Window& window)
    : MessageReach(ReachWay::provider),
      of(new (std::nothrow) RemoteMemory[static_cast<std::size_t>(window.ranks())]) {
  // The other ranks would wait for ever if this rank left here, so the job ends without this
  // memory.
  BATON_INVARIANT(of != nullptr);
  if (transport::network::has_remote_access() && window.size > 0 && !window.own().foreign)
    (void)transport::network::expose(window.base, static_cast<std::size_t>(window.size), own_,
                                     of[window.rank()]);
}

ProviderReach::~ProviderReach() {
  transport::network::network().forget(own_);
  delete[] of;
}

// Returns whether a put or get was begun by the provider, and counts it.
bool ProviderReach::begin(Window& window, const Spot& spot, const Data& data, const Place& place,
                          WindowOperation operation, Error* error) const {
  const Target& target = *spot.target;
  const bool is_put = operation == WindowOperation::put;
  RemoteMemory there = of[window.rank_of(target)];
  ReachReason reason = why_not(there, data, place, is_put);
  if (reason == ReachReason::none && !(*error = make_space_for_transfer(window))) {
    there.address += spot.address - target.address;
    auto* transfer = new (std::nothrow) Access;
    if (transfer) {
      transfer->window = &window;
      transfer->rank = window.rank_of(target);
      transfer->is_access = true;
      transfer->access.process = target.process;
      transfer->access.writes = is_put;
      transfer->access.data = static_cast<char*>(data.buffer);
      transfer->access.bytes = data.bytes();
      transfer->access.there = there;
    }
    if (transfer && !message::begin_access(transfer->access)) {
      one_sided.begun.note(*transfer);
    } else {
      // The provider has refused to register the memory of this rank's buffer.
      delete transfer;
      reason = ReachReason::not_registered;
    }
  }
  const bool goes = reason == ReachReason::none;
  if (BATON_UNLIKELY(window.is_special))
    count_way(window, data.bytes(), goes ? ReachWay::provider : ReachWay::message, reason,
              operation);
  return goes;
}

Error open_provider(Window& window) {
  // Not all ranks of several jobs would decide alike.
  if (!transport::spans_nodes() || window.is_dynamic() || window.comm->spans_jobs() ||
      !spans_nodes(window))
    return MPI_SUCCESS;
  auto* reach = new (std::nothrow) ProviderReach(window);
  BATON_INVARIANT(reach != nullptr);  // as above
  window.provider = reach;
  const RemoteMemory told = reach->of[window.rank()];
  return world::agree_allgather(world::all_of(window.comm->point_to_point, world::agreement_tag),
                                &told, sizeof told, reach->of);
}

void close_provider(Window& window) {
  delete static_cast<const ProviderReach*>(window.provider);
}

}  // namespace baton::window
