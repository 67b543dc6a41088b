#include "transport/network/choose_provider.hpp"

#include <algorithm>
#include <iterator>

namespace baton::transport::network {

namespace {

bool begins_with(std::string_view name, std::string_view beginning) {
  return name.substr(0, beginning.size()) == beginning;
}

struct ProviderRow {
  std::string_view name;  // the beginning of its name
  int rank;
};
// Fabrics that place memory remotely come first, the sockets of the kernel last. Providers that are
// not in the list are never chosen unasked: they are for tests, for one machine, or hang (sockets).
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

bool emulates_remote_access(std::string_view provider) {
  for (std::string_view part : {"ofi_rxd", "udp", "psm2"})
    if (provider.find(part) != provider.npos) return true;
  return false;
}

bool needs_looks_at_target(std::string_view provider) {
  return begins_with(provider, "tcp") || begins_with(provider, "net") ||
         begins_with(provider, "sockets");
}

bool leaves_devices_to_adapter(std::string_view provider) {
  return !emulates_remote_access(provider) && !needs_looks_at_target(provider);
}

bool is_inner_interface(std::string_view name) {
  for (std::string_view inner : {"docker", "br-", "virbr", "veth", "lxc", "cni", "flannel", "tun",
                                 "tap", "wg", "tailscale", "podman"})
    if (begins_with(name, inner)) return true;
  return false;
}

namespace {

// Returns the place of a name in a list with commas; -1: it is not there.
int place_in(std::string_view list, std::string_view name) {
  for (int place = 0; !list.empty(); ++place) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == name) return place;
    list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
  }
  return -1;
}

bool is_wanted(const ProviderOffer& offer, const ProviderWish& wish) {
  if (!wish.provider.empty() && !begins_with(offer.provider, wish.provider)) return false;
  if (wish.provider.empty() && rank_of_provider(offer) < 0) return false;
  if (!wish.interface.empty()) return place_in(wish.interface, offer.interface) >= 0;
  // A job on one machine needs no interface that leads outside; other machines are not reached
  // through the loopback.
  if (wish.one_machine) return offer.loopback || rank_of_provider(offer) < tcp_native;
  return !offer.loopback && !offer.link_local && !is_inner_interface(offer.interface);
}

// Returns the cost of an offer. The interfaces that the user names are taken in that order,
// whatever their providers.
int cost_of(const ProviderOffer& offer, const ProviderWish& wish) {
  const int rank = rank_of_provider(offer);
  const int place = wish.interface.empty() ? 0 : place_in(wish.interface, offer.interface);
  return 1000 * place + 4 * (rank < 0 ? 100 : rank) + 2 * offer.link_local + offer.ipv6;
}

bool is_near(const ProviderOffer& offer, const ProviderWish& wish) {
  return wish.numa_node >= 0 && offer.numa_node == wish.numa_node;
}

int find_first(std::span<const ProviderOffer> offers, const ProviderWish& wish) {
  int best = -1;
  for (int i = 0; i < static_cast<int>(offers.size()); ++i) {
    const ProviderOffer& offer = offers[static_cast<std::size_t>(i)];
    if (!is_wanted(offer, wish)) continue;
    if (best < 0) {
      best = i;
      continue;
    }
    const ProviderOffer& other = offers[static_cast<std::size_t>(best)];
    const int cost = cost_of(offer, wish), least = cost_of(other, wish);
    // Among equal offers the first is taken, since libfabric lists the quicker interfaces first;
    // unless a like one is at the process's NUMA node, and reaches the same peers.
    const bool alike = cost == least && offer.subnet == other.subnet &&
                       offer.megabits == other.megabits && offer.provider == other.provider;
    if (cost < least || (alike && is_near(offer, wish) && !is_near(other, wish))) best = i;
  }
  return best;
}

// Returns whether a further interface of the same kind helps: the parts of a message that go over a
// much slower one would come last.
bool goes_along(const ProviderOffer& offer, const ProviderOffer& first) {
  return offer.provider == first.provider && offer.native == first.native &&
         offer.ipv6 == first.ipv6 && !offer.link_local && 2 * offer.megabits >= first.megabits;
}

void find_further(std::span<const ProviderOffer> offers, const ProviderWish& wish,
                  ProviderChoice& choice) {
  const ProviderOffer& first = offers[static_cast<std::size_t>(choice.index)];
  std::string_view taken[rails_max] = {first.interface};
  for (std::size_t i = 0; i < offers.size() && choice.further_count + 1 < wish.rails; ++i) {
    const std::string_view interface = offers[i].interface;
    if (!is_wanted(offers[i], wish) || !goes_along(offers[i], first)) continue;
    if (std::find(taken, std::end(taken), interface) != std::end(taken)) continue;
    choice.further[choice.further_count++] = static_cast<int>(i);
    taken[choice.further_count] = interface;
  }
}

}  // namespace

ProviderChoice choose_provider(std::span<const ProviderOffer> offers, const ProviderWish& wish) {
  ProviderChoice choice;
  choice.index = find_first(offers, wish);
  if (choice.index >= 0) find_further(offers, wish, choice);
  const bool near =
      choice.index >= 0 && is_near(offers[static_cast<std::size_t>(choice.index)], wish);
  choice.reason = choice.index < 0          ? "no interface of libfabric's fits"
                  : !wish.interface.empty() ? "BATON_NETWORK_INTERFACE asks for it"
                  : !wish.provider.empty()  ? "BATON_NETWORK_PROVIDER asks for it"
                  : wish.one_machine        ? "all ranks are on this machine"
                  : near                    ? "the best provider's, at this rank's NUMA node"
                                            : "the first of the best provider's";
  return choice;
}

}  // namespace baton::transport::network
