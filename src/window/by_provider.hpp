// Windows over several nodes that the network's provider reaches by remote writes and reads of its
// own: their memory is registered when they are made, and ranks are told its keys. Without the
// target's help but for what the provider needs. Used by create.cpp, and by remote.cpp for long
// contiguous puts and gets; all else there goes by messages. Not for dynamic windows, whose memory
// comes and goes, nor for accumulates, which must agree with atomic instructions of the CPUs.
#pragma once

#include "base/one_sided.hpp"
#include "window/place.hpp"

namespace baton::transport::network {
struct RemoteMemory;
}

namespace baton::window {

// Registers this rank's memory and exchanges keys. Collective over the window's ranks, where they
// are on several nodes; else it does nothing. What cannot be registered is reached by messages.
[[nodiscard]] Error open_provider_reach(Window& window);
// When nobody reaches our memory any more.
void close_provider_reach(Window& window);

// Whether so much at such a spot, contiguous at both ends, is for the provider; else why not.
ReachReason why_not_by_provider(const Window& window, const Spot& spot, const Data& data,
                                const Place& place, WindowOperation operation);
inline bool goes_by_provider(const Window& window, const Spot& spot, const Data& data,
                             const Place& place, WindowOperation operation) {
  return window.reach &&
         why_not_by_provider(window, spot, data, place, operation) == ReachReason::none;
}

// Of a spot whose target's memory is registered: where the provider finds it.
transport::network::RemoteMemory provider_memory(const Window& window, const Spot& spot);

}  // namespace baton::window
