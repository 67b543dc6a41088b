// Which of libfabric's offers a rank takes: which provider, on which interfaces, and why. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace baton::transport::network {

// An offer of libfabric (fi_getinfo), as far as it matters.
struct ProviderOffer {
  std::string_view provider;   // "tcp", "verbs;ofi_rxm"
  std::string_view interface;  // "eth0", "lo", "mlx5_0"
  bool native = false;         // reliable datagrams by the provider itself, over TCP
  bool loopback = false;
  bool ipv6 = false;
  bool link_local = false;
  std::uint32_t megabits = 0;  // a second; 0: not known
  int numa_node = -1;          // at which the interface is; -1: not known
  std::uint32_t subnet = 0;    // equal ones reach each other; 0: as all of the provider's do
};

// The most interfaces of a process: the first, over which packets go, and further ones, which carry
// parts of long messages.
inline constexpr int rails_max = 4;

// What the user and the job want; empty: no matter.
struct ProviderWish {
  std::string_view provider;   // BATON_NETWORK_PROVIDER
  std::string_view interface;  // BATON_NETWORK_INTERFACE: one, or several with commas between
  bool one_machine = false;    // all ranks are on this machine
  int rails = rails_max;       // no more interfaces than that
  int numa_node = -1;          // of the process; -1: no single one
};

struct ProviderChoice {
  int index = -1;  // in the offers; -1: none
  int further[rails_max - 1] = {};
  int further_count = 0;
  const char* reason = "";  // in words, for --explain and errors
};

// Whether a provider makes remote writes and reads of messages that its other end carries out, by a
// layer of libfabric's or in itself. Then they are no better than ours.
bool emulates_remote_access(std::string_view provider);
// Whether the target's process has to look at the network while they go on: over sockets.
bool needs_looks_at_target(std::string_view provider);

// The lower the better; negative: never without being asked for.
int rank_of_provider(const ProviderOffer& offer);

// Interfaces that lead to nobody outside: of containers, virtual machines and tunnels of theirs.
bool is_inner_interface(std::string_view name);

ProviderChoice choose_provider(std::span<const ProviderOffer> offers, const ProviderWish& wish);

}  // namespace baton::transport::network
