// Chooses among libfabric's offers: the provider and the interfaces that a rank takes, and why. The
// functions are pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace baton::transport::network {

// This is an offer of libfabric (fi_getinfo), with the parts that matter for the choice.
struct ProviderOffer {
  std::string_view provider;   // "tcp", "verbs;ofi_rxm"
  std::string_view interface;  // "eth0", "lo", "mlx5_0"
  bool native = false;         // reliable datagrams by the provider itself, over TCP
  bool loopback = false;
  bool ipv6 = false;
  bool link_local = false;
  std::uint32_t megabits = 0;  // Mbit/s; 0: not known
  int numa_node = -1;          // of the interface; -1: not known
  std::uint32_t subnet = 0;    // equal ones reach each other; 0: all interfaces of the provider do
};

// A process has at most this many interfaces: the first, over which packets go, and further ones,
// which carry parts of long messages.
inline constexpr int rails_max = 4;

// These are the wishes of the user and of the job; an empty one means no wish.
struct ProviderWish {
  std::string_view provider;   // BATON_NETWORK_PROVIDER
  std::string_view interface;  // BATON_NETWORK_INTERFACE: one, or several with commas between
  bool one_machine = false;    // all ranks are on this machine
  int rails = rails_max;       // at most this many interfaces
  int numa_node = -1;          // of the process; -1: no single one
};

struct ProviderChoice {
  int index = -1;  // in the offers; -1: none
  int further[rails_max - 1] = {};
  int further_count = 0;
  const char* reason = "";  // in words, for --explain and errors
};

// Returns whether a provider makes remote writes and reads of messages that its other end carries
// out, by a layer of libfabric's or in itself. Its remote accesses are then no better than our
// messages.
bool emulates_remote_access(std::string_view provider);
// Returns whether the target's process has to look at the network while remote accesses go on: over
// sockets.
bool needs_looks_at_target(std::string_view provider);

// Returns whether a provider that says that it reaches memory of devices leaves that to its
// adapter. Those over sockets copy it through host memory, as we do.
bool leaves_devices_to_adapter(std::string_view provider);

// Returns the rank of a provider, the lower the better; negative: it is never chosen without being
// asked for.
int rank_of_provider(const ProviderOffer& offer);

// Returns whether an interface leads to nobody outside: interfaces of containers, of virtual
// machines and of their tunnels.
bool is_inner_interface(std::string_view name);

ProviderChoice choose_provider(std::span<const ProviderOffer> offers, const ProviderWish& wish);

}  // namespace baton::transport::network
