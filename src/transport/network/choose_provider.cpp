#include "transport/network/choose_provider.hpp"

namespace baton::transport::network {

namespace {

bool begins_with(std::string_view name, std::string_view beginning) {
  return name.substr(0, beginning.size()) == beginning;
}

struct ProviderRow {
  std::string_view name;  // how it begins
  int rank;
};
// Fabrics that place memory remotely first; the sockets of the kernel last. Not in the list, and so
// never chosen unasked: what is for tests, for one machine, or hangs (sockets).
constexpr ProviderRow provider_rows[] = {
    {"cxi", 0}, {"efa", 1}, {"verbs;ofi_rxm", 2}, {"psm3", 3}, {"opx", 3}, {"psm2", 3},
};
constexpr int tcp_native = 10, tcp_over_rxm = 11;

}  // namespace

int rank_of_provider(const ProviderOffer& offer) {
  if (offer.provider == "tcp" || offer.provider == "net") return offer.native ? tcp_native : -1;
  if (begins_with(offer.provider, "tcp;ofi_rxm")) return tcp_over_rxm;
  for (const ProviderRow& row : provider_rows)
    if (begins_with(offer.provider, row.name)) return row.rank;
  return -1;
}

bool is_inner_interface(std::string_view name) {
  for (std::string_view inner : {"docker", "br-", "virbr", "veth", "lxc", "cni", "flannel", "tun",
                                 "tap", "wg", "tailscale", "podman"})
    if (begins_with(name, inner)) return true;
  return false;
}

namespace {

bool is_wanted(const ProviderOffer& offer, const ProviderWish& wish) {
  if (!wish.provider.empty() && !begins_with(offer.provider, wish.provider)) return false;
  if (wish.provider.empty() && rank_of_provider(offer) < 0) return false;
  if (!wish.interface.empty()) return offer.interface == wish.interface;
  // Ranks that are all here need nobody's network; others are not reached through the loopback.
  if (wish.one_machine) return offer.loopback || rank_of_provider(offer) < tcp_native;
  return !offer.loopback && !offer.link_local && !is_inner_interface(offer.interface);
}

int cost_of(const ProviderOffer& offer) {
  const int rank = rank_of_provider(offer);
  return 4 * (rank < 0 ? 100 : rank) + 2 * offer.link_local + offer.ipv6;
}

}  // namespace

ProviderChoice choose_provider(std::span<const ProviderOffer> offers, const ProviderWish& wish) {
  ProviderChoice best;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (!is_wanted(offers[i], wish)) continue;
    // Equal ones: the first, since libfabric has the quicker interfaces first.
    if (best.index < 0 ||
        cost_of(offers[i]) < cost_of(offers[static_cast<std::size_t>(best.index)]))
      best.index = static_cast<int>(i);
  }
  best.reason = best.index < 0            ? "no interface of libfabric's fits"
                : !wish.interface.empty() ? "BATON_NETWORK_INTERFACE asks for it"
                : !wish.provider.empty()  ? "BATON_NETWORK_PROVIDER asks for it"
                : wish.one_machine        ? "all ranks are on this machine"
                                          : "the first of the best provider's";
  return best;
}

}  // namespace baton::transport::network
