// This is remote memory access by the network's provider, for windows over several nodes: their
// memory is registered when they are made, and the ranks exchange its keys. Puts and gets then need
// no help of the target beyond what the provider needs. This is used by create.cpp, and by
// remote.cpp for long contiguous puts and gets; all other operations there go by messages. It does
// not serve dynamic windows, whose memory comes and goes, nor accumulates, which must be atomic
// towards the instructions of the CPUs.
#pragma once

#include "base/one_sided.hpp"
#include "window/place.hpp"

namespace baton::transport::network {
struct RemoteMemory;
}

namespace baton::window {

// Registers this rank's memory and exchanges keys. It is collective over the window's ranks where
// they are on several nodes; else it does nothing. Memory that cannot be registered is reached by
// messages.
[[nodiscard]] Error open_provider_reach(Window& window);
// Releases the registration, when no rank reaches this rank's memory any more.
void close_provider_reach(Window& window);

// Returns ReachReason::none if the provider is to move this data, contiguous at both ends; else the
// reason why not.
ReachReason why_not_by_provider(const Window& window, const Spot& spot, const Data& data,
                                const Place& place, WindowOperation operation);
inline bool goes_by_provider(const Window& window, const Spot& spot, const Data& data,
                             const Place& place, WindowOperation operation) {
  return window.reach &&
         why_not_by_provider(window, spot, data, place, operation) == ReachReason::none;
}

// Returns where the provider finds a spot whose target has registered its memory.
transport::network::RemoteMemory provider_memory(const Window& window, const Spot& spot);

}  // namespace baton::window
