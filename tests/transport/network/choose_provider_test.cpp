#include "transport/network/choose_provider.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace baton::transport::network {
namespace {

constexpr ProviderOffer tcp{"tcp", "eth0", true};
constexpr ProviderOffer tcp_messages{"tcp", "eth0"};  // not reliable datagrams by itself
constexpr ProviderOffer tcp_rxm{"tcp;ofi_rxm", "eth0"};
constexpr ProviderOffer sockets{"sockets", "eth0"};
constexpr ProviderOffer udp{"udp;ofi_rxd", "eth0"};
constexpr ProviderOffer shm{"shm", "shm"};
constexpr ProviderOffer verbs{"verbs;ofi_rxm", "mlx5_0"};
constexpr ProviderOffer efa{"efa", "rdmap0s6"};
constexpr ProviderOffer cxi{"cxi", "cxi0"};

ProviderOffer on(std::string_view interface, ProviderOffer offer = tcp) {
  offer.interface = interface;
  offer.loopback = interface == "lo";
  return offer;
}

ProviderOffer ipv6(ProviderOffer offer) {
  offer.ipv6 = true;
  return offer;
}

ProviderOffer link_local(ProviderOffer offer) {
  offer.ipv6 = offer.link_local = true;
  return offer;
}

ProviderWish wish(std::string_view provider, std::string_view interface = {}) {
  return {provider, interface, false};
}

constexpr ProviderWish together{{}, {}, true};

int choose(std::vector<ProviderOffer> offers, const ProviderWish& wish = {}) {
  return choose_provider(offers, wish).index;
}

// Whichever comes first in libfabric's list.
void expect_before(const ProviderOffer& better, const ProviderOffer& worse,
                   ProviderWish wish = {}) {
  EXPECT_EQ(choose({better, worse}, wish), 0) << better.provider << " on " << better.interface;
  EXPECT_EQ(choose({worse, better}, wish), 1) << better.provider << " on " << better.interface;
}

TEST(choose_provider, native_tcp_goes_before_tcp_over_messages) {
  expect_before(tcp, tcp_rxm);
  expect_before({"net", "eth0", true}, tcp_rxm);
  expect_before(tcp_rxm, tcp_messages);
  EXPECT_EQ(choose({tcp_messages}), -1);
}

TEST(choose_provider, fabrics_go_before_tcp) {
  for (const ProviderOffer& fabric : {cxi, efa, verbs, on("hfi1_0", {"psm3", ""}),
                                      on("hfi1_0", {"opx", ""}), on("hfi1_0", {"psm2", ""})}) {
    expect_before(fabric, tcp);
    expect_before(fabric, tcp_rxm);
  }
  expect_before(cxi, verbs);
  expect_before(efa, verbs);
}

TEST(choose_provider, what_is_for_tests_or_hangs_is_never_taken_unasked) {
  for (const ProviderOffer& offer : {sockets, udp, shm, ProviderOffer{"verbs;ofi_rxd", "mlx5_0"},
                                     ProviderOffer{"ofi_hook_debug;tcp", "eth0", true}}) {
    EXPECT_LT(rank_of_provider(offer), 0) << offer.provider;
    EXPECT_EQ(choose({offer}), -1) << offer.provider;
    EXPECT_EQ(choose({offer}, wish({}, offer.interface)), -1) << offer.provider;
    EXPECT_EQ(choose({on("lo", offer)}, together), -1) << offer.provider;
    expect_before(tcp_rxm, offer);
    EXPECT_EQ(choose({tcp, offer}, wish(offer.provider)), 1) << offer.provider;
  }
}

TEST(choose_provider, remote_accesses_that_a_layer_makes_of_messages_are_told_from_others) {
  for (const char* provider : {"udp;ofi_rxd", "verbs;ofi_rxd", "psm2"})
    EXPECT_TRUE(emulates_remote_access(provider)) << provider;
  for (const char* provider : {"tcp", "net", "tcp;ofi_rxm", "verbs;ofi_rxm", "cxi"})
    EXPECT_FALSE(emulates_remote_access(provider)) << provider;
  for (const char* provider : {"tcp", "net", "tcp;ofi_rxm"})
    EXPECT_TRUE(needs_looks_at_target(provider)) << provider;
  for (const char* provider : {"verbs;ofi_rxm", "cxi"})
    EXPECT_FALSE(needs_looks_at_target(provider)) << provider;
}

TEST(choose_provider, device_memory_is_left_to_adapters_and_not_to_sockets) {
  for (const char* provider : {"verbs;ofi_rxm", "cxi", "efa", "psm3"})
    EXPECT_TRUE(leaves_devices_to_adapter(provider)) << provider;
  for (const char* provider : {"tcp", "tcp;ofi_rxm", "net", "sockets", "verbs;ofi_rxd", "psm2"})
    EXPECT_FALSE(leaves_devices_to_adapter(provider)) << provider;
}

TEST(choose_provider, interfaces_of_containers_and_tunnels_are_not_taken) {
  for (std::string_view name : {"docker0", "br-0a1b2c", "virbr0", "veth12ab", "wg0", "tun0", "tap1",
                                "lxcbr0", "cni0", "flannel.1", "tailscale0", "podman0"}) {
    EXPECT_TRUE(is_inner_interface(name)) << name;
    EXPECT_EQ(choose({on(name)}), -1) << name;
    expect_before(link_local(tcp), on(name), wish("tcp", "eth0"));
    expect_before(tcp_rxm, on(name));
    EXPECT_EQ(choose({tcp, on(name)}, wish({}, name)), 1) << name;
  }
  for (std::string_view name :
       {"eth0", "enp3s0f1", "bond0", "br0", "ib0", "eno1", "wlan0", "mlx5_0"})
    EXPECT_FALSE(is_inner_interface(name)) << name;
}

TEST(choose_provider, ipv4_goes_before_ipv6_before_link_local) {
  expect_before(tcp, ipv6(tcp));
  const ProviderWish asked = wish({}, "eth0");
  expect_before(ipv6(tcp), link_local(tcp), asked);
  expect_before(tcp, link_local(tcp), asked);
  EXPECT_EQ(choose({ipv6(tcp)}), 0);
  // Whose scope is a number of this machine, which means nothing on others.
  EXPECT_EQ(choose({link_local(tcp)}), -1);
  // The provider matters more than its addresses.
  expect_before(ipv6(tcp), tcp_rxm);
  expect_before(ipv6(verbs), tcp);
}

TEST(choose_provider, what_is_asked_for_is_taken) {
  EXPECT_EQ(choose({verbs, tcp, on("eth1")}, wish({}, "eth1")), 2);
  EXPECT_EQ(choose({verbs, tcp, tcp_rxm}, wish("tcp;ofi_rxm")), 2);
  EXPECT_EQ(choose({tcp_rxm, on("eth1"), tcp}, wish("tcp")), 1);
  EXPECT_EQ(choose({verbs, tcp, on("mlx5_0")}, wish("tcp", "mlx5_0")), 2);
  EXPECT_EQ(choose({on("lo"), tcp}, wish({}, "lo")), 0);
  EXPECT_EQ(choose({tcp, sockets}, wish("sockets")), 1);
}

TEST(choose_provider, the_loopback_only_when_all_ranks_are_on_one_machine) {
  EXPECT_EQ(choose({on("lo"), tcp}), 1);
  EXPECT_EQ(choose({on("lo")}), -1);
  EXPECT_EQ(choose({tcp, on("lo")}, together), 1);
  EXPECT_EQ(choose({tcp}, together), -1);
  EXPECT_EQ(choose({tcp, on("lo"), verbs}, together), 2);
  expect_before(on("lo"), ipv6(on("lo")), together);
}

TEST(choose_provider, none_that_fits_is_none) {
  EXPECT_EQ(choose({}), -1);
  EXPECT_EQ(choose({tcp, verbs}, wish({}, "eth7")), -1);
  EXPECT_EQ(choose({tcp, verbs}, wish("psm9")), -1);
  EXPECT_EQ(choose({tcp, verbs}, wish("verbs", "eth0")), -1);
  EXPECT_STREQ(choose_provider({}, {}).reason, "no interface of libfabric's fits");
}

TEST(choose_provider, equal_offers_are_taken_in_libfabric_s_order) {
  EXPECT_EQ(choose({on("eth1"), on("eth0")}), 0);
  EXPECT_EQ(choose({on("docker0"), on("eth3"), on("eth0")}), 1);
}

// The first one's place, then those of further interfaces.
std::vector<int> choose_all(std::vector<ProviderOffer> offers, const ProviderWish& wish = {}) {
  const ProviderChoice choice = choose_provider(offers, wish);
  std::vector<int> all{choice.index};
  all.insert(all.end(), choice.further, choice.further + choice.further_count);
  return all;
}

ProviderOffer with_speed(std::uint32_t megabits, ProviderOffer offer) {
  offer.megabits = megabits;
  return offer;
}

ProviderOffer at_node(int node, ProviderOffer offer, std::uint32_t subnet = 0) {
  offer.numa_node = node;
  offer.subnet = subnet;
  return offer;
}

using Places = std::vector<int>;

TEST(choose_provider, further_interfaces_of_the_same_kind_go_along) {
  EXPECT_EQ(choose_all({tcp}), (Places{0}));
  EXPECT_EQ(choose_all({on("eth1"), tcp}), (Places{0, 1}));
  EXPECT_EQ(choose_all({tcp, on("eth1", tcp_rxm), on("eth2", verbs)}), (Places{2}));
  EXPECT_EQ(choose_all({tcp, ipv6(on("eth1")), on("docker0"), on("lo"), on("eth2")}),
            (Places{0, 4}));
  // An interface with two addresses is one.
  EXPECT_EQ(choose_all({tcp, tcp, on("eth1"), on("eth1")}), (Places{0, 2}));
  EXPECT_EQ(choose_all({on("lo"), tcp}, together), (Places{0}));
}

TEST(choose_provider, no_more_interfaces_than_wanted) {
  const std::vector<ProviderOffer> five = {tcp, on("eth1"), on("eth2"), on("eth3"), on("eth4")};
  EXPECT_EQ(choose_all(five), (Places{0, 1, 2, 3}));
  ProviderWish one;
  one.rails = 1;
  EXPECT_EQ(choose_all(five, one), (Places{0}));
  EXPECT_EQ(choose_all(five, wish({}, "eth1")), (Places{1}));
  EXPECT_EQ(choose_all(five, wish({}, "eth4,eth0,eth9")), (Places{4, 0}));
}

TEST(choose_provider, a_much_slower_interface_stays_out) {
  const ProviderOffer quick = with_speed(100000, tcp);
  EXPECT_EQ(choose_all({quick, with_speed(1000, on("eth1"))}), (Places{0}));
  EXPECT_EQ(choose_all({quick, with_speed(50000, on("eth1"))}), (Places{0, 1}));
  EXPECT_EQ(choose_all({quick, on("eth1")}), (Places{0})) << "not known";
}

TEST(choose_provider, of_like_interfaces_the_one_at_the_process_s_numa_node_is_first) {
  const std::vector<ProviderOffer> two = {at_node(0, verbs), at_node(1, on("mlx5_1", verbs))};
  ProviderWish near;
  EXPECT_EQ(choose_all(two, near), (Places{0, 1}));
  near.numa_node = 1;
  EXPECT_EQ(choose_all(two, near), (Places{1, 0}));
  EXPECT_STREQ(choose_provider(two, near).reason, "the best provider's, at this rank's NUMA node");
  // All must reach all.
  EXPECT_EQ(choose_all({at_node(0, tcp, 5), at_node(1, on("eth1"), 7)}, near), (Places{0, 1}));
  EXPECT_EQ(
      choose_all({at_node(0, with_speed(200, tcp)), at_node(1, with_speed(100, on("eth1")))}, near),
      (Places{0, 1}));
}

TEST(choose_provider, each_choice_has_its_reason) {
  const ProviderOffer offers[] = {tcp, on("lo")};
  const auto reason = [&](const ProviderWish& wish) -> std::string {
    return choose_provider(offers, wish).reason;
  };
  EXPECT_EQ(reason({}), "the first of the best provider's");
  EXPECT_EQ(reason(together), "all ranks are on this machine");
  EXPECT_EQ(reason(wish("tcp")), "BATON_NETWORK_PROVIDER asks for it");
  EXPECT_EQ(reason(wish({}, "eth0")), "BATON_NETWORK_INTERFACE asks for it");
}

}  // namespace
}  // namespace baton::transport::network
