// A fabric as SimGrid has it: hosts, links and their routes. Both ways of simulating ask it, so
// that they differ in nothing but how they share links. One in a process: SimGrid has one engine.
#pragma once

#include <memory>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "sim/cluster/fabric.hpp"

namespace baton::cluster {

// Of a machine's core, in SimGrid's units a second.
inline constexpr double core_speed = 1e9;

class Platform {
 public:
  explicit Platform(const Fabric& fabric);

  // Links between two nodes, as numbers; of one node and itself none.
  const std::vector<int>& route(int from, int to);
  double latency(int from, int to);
  double capacity(int link) const { return capacities_[static_cast<std::size_t>(link)]; }
  int links() const { return static_cast<int>(capacities_.size()); }
  simgrid::s4u::Host* host(int node) const { return hosts_[static_cast<std::size_t>(node)]; }
  // Whose cores do the work of all nodes; null: each rank has a core of its own.
  simgrid::s4u::Host* machine() const { return machine_; }
  int nodes() const { return static_cast<int>(hosts_.size()); }
  simgrid::s4u::Engine& engine() { return *engine_; }
  const Costs& costs() const { return costs_; }

 private:
  std::unique_ptr<simgrid::s4u::Engine> engine_;
  Costs costs_;
  std::vector<simgrid::s4u::Host*> hosts_;
  simgrid::s4u::Host* machine_ = nullptr;
  std::unordered_map<const simgrid::s4u::Link*, int> numbers_;
  std::vector<double> capacities_;
  std::unordered_map<std::uint64_t, std::vector<int>> routes_;
};

}  // namespace baton::cluster
