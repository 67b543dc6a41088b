#include "sim/cluster/platform.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace baton::cluster {

namespace s4u = simgrid::s4u;

namespace {

std::unique_ptr<s4u::Engine> make_engine() {
  static bool used = false;
  if (used) throw std::runtime_error("a process has one platform");
  used = true;
  // Latencies are added beside the flows (costs.hpp): in SimGrid they would change a flow's share.
  std::vector<std::string> words = {"baton-cluster",
                                    "--cfg=network/model:CM02",
                                    "--cfg=network/TCP-gamma:0",
                                    "--cfg=network/crosstraffic:0",
                                    "--cfg=network/latency-factor:1",
                                    "--cfg=network/bandwidth-factor:1",
                                    "--cfg=network/weight-S:0",
                                    "--cfg=contexts/stack-size:64",
                                    "--log=root.thres:error"};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  return std::make_unique<s4u::Engine>(&count, pointers.data());
}

using Leaf = std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>;

}  // namespace

Platform::Platform(const Fabric& fabric) : engine_(make_engine()), costs_(fabric.costs()) {
  const Topology& topology = fabric.topology();
  hosts_.resize(static_cast<std::size_t>(topology.nodes));
  auto make_host = [&](s4u::NetZone* zone, std::size_t node) {
    return hosts_.at(node) = zone->create_host(fmt::format("node {}", node), 1.0)->seal();
  };
  auto make_loopback = [&](s4u::NetZone* zone, std::size_t node) {
    return zone->create_link(fmt::format("memory {}", node), costs_.node_copy)
        ->set_latency(0)
        ->seal();
  };
  const s4u::ClusterCallbacks callbacks(
      [&](s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long node) {
        return Leaf{make_host(zone, node)->get_netpoint(), nullptr};
      },
      [&](s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long node) {
        return static_cast<s4u::Link*>(make_loopback(zone, node));
      },
      {});
  constexpr auto both_ways = s4u::Link::SharingPolicy::SPLITDUPLEX;
  if (topology.kind == Topology::Kind::fat_tree) {
    s4u::create_fatTree_zone(
        "fabric", nullptr,
        {static_cast<unsigned>(topology.down.size()), topology.down, topology.up, topology.links},
        callbacks, costs_.link, 0, both_ways)
        ->seal();
  } else if (topology.kind == Topology::Kind::dragonfly) {
    s4u::create_dragonfly_zone("fabric", nullptr,
                               {{topology.groups, topology.global_links},
                                {1, 1},
                                {topology.switches, topology.switch_links},
                                topology.nodes_per_switch},
                               callbacks, costs_.link, 0, both_ways)
        ->seal();
  } else if (topology.kind == Topology::Kind::one_machine) {
    s4u::NetZone* zone = s4u::create_full_zone("fabric");
    const auto* network = zone->create_link("network", costs_.link)->set_latency(0)->seal();
    for (std::size_t node = 0; node < hosts_.size(); ++node) make_host(zone, node);
    for (std::size_t from = 0; from < hosts_.size(); ++from)
      for (std::size_t to = 0; to < hosts_.size(); ++to)
        zone->add_route(hosts_[from]->get_netpoint(), hosts_[to]->get_netpoint(), nullptr, nullptr,
                        {s4u::LinkInRoute(from == to ? make_loopback(zone, from) : network)},
                        false);
    machine_ = zone->create_host("machine", core_speed)->set_core_count(topology.cores)->seal();
    zone->seal();
  } else {
    s4u::NetZone* zone = s4u::create_star_zone("fabric");
    for (std::size_t node = 0; node < hosts_.size(); ++node) {
      s4u::Host* host = make_host(zone, node);
      const auto* link = zone->create_split_duplex_link(fmt::format("port {}", node), costs_.link)
                             ->set_latency(0)
                             ->seal();
      zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                      {{link, s4u::LinkInRoute::Direction::UP}}, true);
      zone->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr,
                      {s4u::LinkInRoute(make_loopback(zone, node))}, false);
    }
    zone->seal();
  }
}

const std::vector<int>& Platform::route(int from, int to) {
  const std::uint64_t key = std::uint64_t(from) << 32 | static_cast<std::uint32_t>(to);
  const auto [found, fresh] = routes_.try_emplace(key);
  if (!fresh || from == to) return found->second;
  std::vector<s4u::Link*> links;
  double latency = 0;
  host(from)->route_to(host(to), links, &latency);
  for (const s4u::Link* link : links) {
    const auto [number, new_link] =
        numbers_.try_emplace(link, static_cast<int>(capacities_.size()));
    if (new_link) capacities_.push_back(link->get_bandwidth());
    found->second.push_back(number->second);
  }
  return found->second;
}

double Platform::latency(int from, int to) {
  if (from == to) return costs_.node_latency;
  return costs_.latency + costs_.switch_latency * static_cast<double>(route(from, to).size() - 1);
}

}  // namespace baton::cluster
