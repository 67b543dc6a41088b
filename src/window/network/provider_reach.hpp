// This is remote memory access by the network's provider, for windows over several nodes: their
// memory is registered when they are made, and the ranks exchange its keys. Long contiguous puts
// and gets then need no help of the target beyond what the provider needs; all else goes by
// messages. It does not serve dynamic windows, whose memory comes and goes, nor accumulates, which
// must be atomic towards the instructions of the CPUs.
#pragma once

#include "transport/network/exposed_memory.hpp"
#include "window/remote.hpp"

namespace baton::window {

class ProviderReach final : public MessageReach {
 public:
  // Registers the window's memory at this rank. (If the provider refuses, `of` says that it cannot
  // be reached so.)
  explicit ProviderReach(Window& window);
  ~ProviderReach();
  ProviderReach(const ProviderReach&) = delete;
  ProviderReach& operator=(const ProviderReach&) = delete;
  transport::network::RemoteMemory* of;  // by rank of the window

 private:
  bool begin(Window& window, const Spot& spot, const Data& data, const Place& place,
             WindowOperation operation, Error* error) const override;
  transport::network::RailRegistrations own_;
};

// Makes the window's reach, and exchanges keys. It is collective over the window's ranks where they
// are on several nodes; else it does nothing.
[[nodiscard]] Error open_provider(Window& window);
// Releases the registration, when no rank reaches this rank's memory any more.
void close_provider(Window& window);

}  // namespace baton::window
