// Which of libfabric's offers a rank takes: which provider, on which interface, and why. Pure.
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
};

// What the user and the job want; empty: no matter.
struct ProviderWish {
  std::string_view provider;   // BATON_NETWORK_PROVIDER
  std::string_view interface;  // BATON_NETWORK_INTERFACE
  bool one_machine = false;    // all ranks are on this machine
};

struct ProviderChoice {
  int index = -1;           // in the offers; -1: none
  const char* reason = "";  // in words, for --explain and errors
};

// The lower the better; negative: never without being asked for.
int rank_of_provider(const ProviderOffer& offer);

// Interfaces that lead to nobody outside: of containers, virtual machines and tunnels of theirs.
bool is_inner_interface(std::string_view name);

ProviderChoice choose_provider(std::span<const ProviderOffer> offers, const ProviderWish& wish);

}  // namespace baton::transport::network
