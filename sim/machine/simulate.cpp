#include "sim/machine/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <simgrid/s4u.hpp>
#include <stdexcept>

namespace baton::model {

namespace s4u = simgrid::s4u;

namespace {

// Both ends of a flow: SimGrid's routes lie between hosts.
struct Ends {
  s4u::Host* from;
  s4u::Host* to;
};

struct Route {
  Ends ends;
  double bytes_per_byte;
  int part;
};

// The hosts, links and routes of a case; each flow of each rank has a pair of hosts of its own, so
// that its route is free to be any set of resources, one with a weight as often as that.
std::vector<std::vector<Route>> build(s4u::NetZone* zone, const Case& given, std::size_t number) {
  std::vector<s4u::Link*> links;
  for (const Resource& resource : given.resources)
    links.push_back(
        zone->create_link(fmt::format("{} {}", number, resource.name), resource.bytes_per_second)
            ->set_latency(0)
            ->seal());
  std::vector<std::vector<Route>> ranks;
  for (std::size_t rank = 0; rank < given.ranks.size(); ++rank) {
    std::vector<Route> routes;
    // A zone for each rank: SimGrid's table of routes grows with the square of a zone's hosts.
    s4u::NetZone* own = s4u::create_full_zone(fmt::format("{}-{}", number, rank))->set_parent(zone);
    for (std::size_t i = 0; i < given.ranks[rank].flows.size(); ++i) {
      const Flow& flow = given.ranks[rank].flows[i];
      auto host = [&](const char* end) {
        return own->create_host(fmt::format("{}-{}-{}-{}", number, rank, i, end), 1.0)->seal();
      };
      const Ends ends{host("from"), host("to")};
      std::vector<s4u::LinkInRoute> route;
      for (const auto& [resource, weight] : flow.uses)
        for (int times = 0; times < weight; ++times)
          route.emplace_back(links[static_cast<std::size_t>(resource)]);
      // The flow's own bound is a link, too: between hosts SimGrid 3.32 takes no rate.
      route.emplace_back(zone->create_link(fmt::format("{}-{}-{} core", number, rank, i),
                                           flow.bytes_per_second_max)
                             ->set_latency(0)
                             ->seal());
      own->add_route(ends.from->get_netpoint(), ends.to->get_netpoint(), nullptr, nullptr, route,
                     false);
      routes.push_back({ends, flow.bytes_per_byte, flow.part});
    }
    own->seal();
    ranks.push_back(std::move(routes));
  }
  return ranks;
}

// Which part is done in each step: each as often as the others, in an order that is drawn; -1: all.
std::vector<int> turns(const std::vector<Route>& routes, const Work& work, int steps,
                       std::size_t rank) {
  if (work.order == Order::at_once) return std::vector<int>(static_cast<std::size_t>(steps), -1);
  const int parts = routes.back().part + 1;
  std::vector<int> order;
  for (int step = 0; step < steps * parts; ++step) order.push_back(step % parts);
  std::mt19937_64 drawn(rank);  // NOLINT: the same in every run
  std::shuffle(order.begin(), order.end(), drawn);
  return order;
}

void go(const std::vector<Route>& routes, const Work& work, int steps, std::size_t rank,
        double& ended) {
  const double began = s4u::Engine::get_clock();
  if (work.begins > 0) s4u::this_actor::sleep_for(work.begins);
  for (int turn : turns(routes, work, steps, rank)) {
    std::vector<s4u::CommPtr> flows;
    for (const Route& route : routes) {
      if (turn >= 0 && route.part != turn) continue;
      const double amount = work.bytes / steps * route.bytes_per_byte;
      flows.push_back(s4u::Comm::sendto_async(route.ends.from, route.ends.to,
                                              static_cast<std::uint64_t>(amount)));
    }
    for (auto& flow : flows) flow->wait();
  }
  ended = s4u::Engine::get_clock() - began;
}

}  // namespace

double Times::all() const {
  return seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end());
}

std::vector<Times> simulate(const std::vector<Case>& cases, int steps) {
  static bool used = false;
  if (used) throw std::runtime_error("a process simulates once");
  used = true;
  std::vector<std::string> words = {"baton-machine",
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
  s4u::Engine engine(&count, pointers.data());
  s4u::NetZone* zone = s4u::create_full_zone("machine");
  std::vector<std::vector<std::vector<Route>>> built;
  for (std::size_t i = 0; i < cases.size(); ++i) built.push_back(build(zone, cases[i], i));
  s4u::Host* driver = zone->create_host("driver", 1.0)->seal();
  zone->seal();
  std::vector<Times> all(cases.size());
  s4u::Actor::create("driver", driver, [&] {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      all[i].seconds.resize(cases[i].ranks.size());
      std::vector<s4u::ActorPtr> ranks;
      for (std::size_t rank = 0; rank < cases[i].ranks.size(); ++rank)
        ranks.push_back(s4u::Actor::create(fmt::format("rank {}", rank), driver, [&, i, rank] {
          go(built[i][rank], cases[i].ranks[rank], steps, rank, all[i].seconds[rank]);
        }));
      for (auto& rank : ranks) rank->join();
    }
  });
  engine.run();
  return all;
}

}  // namespace baton::model
